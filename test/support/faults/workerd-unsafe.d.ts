declare module "workerd:unsafe" {
  const unsafe: {
    evict(stub: DurableObjectStub, options: { webSockets: "hibernate" | "close" }): Promise<void>;
  };
  export default unsafe;
}
