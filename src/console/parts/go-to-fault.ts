/** Goes to the first field that is not right, once it is drawn so. */
export function goToFault(): void {
  requestAnimationFrame(() => {
    const field = document.querySelector(".fault")?.closest(".field");
    field?.querySelector<HTMLElement>("input, select, textarea")?.focus();
  });
}
