import type { JSX } from "preact";
import { listTools } from "../../api/tools-api.ts";
import { useFeed } from "../../feed.ts";
import { Card, Loaded, Page } from "../../parts/surface.tsx";
import { Table } from "../../parts/table.tsx";
import { useResource } from "../../resource.ts";
import { useSession } from "../../session.ts";

export function Tools(): JSX.Element {
  const { api } = useSession();
  const { changes } = useFeed();
  const resource = useResource((signal) => listTools(api, signal), [api, changes]);
  return (
    <Page title="Tools">
      <Loaded resource={resource}>
        {({ tools }) => (
          <Card flush>
            <Table
              caption="Tools"
              rows={tools}
              keyOf={({ name }) => name}
              columns={[
                { title: "Name", isName: true, cell: ({ name }) => name },
                { title: "Description", cell: ({ description }) => description },
              ]}
            />
          </Card>
        )}
      </Loaded>
    </Page>
  );
}
