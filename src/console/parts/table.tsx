import type { ComponentChildren, JSX } from "preact";

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** The cell that names the row. */
  isName?: boolean;
  /** Aligned right: numbers and buttons. */
  atEnd?: boolean;
  /** Says nothing of the title on a phone, where rows are cards. */
  untitled?: boolean;
}

export interface TableProps<Row> {
  /** What it is a table of, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}

/** A table whose rows are cards on a phone. */
export const Table = <Row,>({ caption, columns, rows, keyOf }: TableProps<Row>): JSX.Element => (
  <div class="table-frame">
    <table class="table cards">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, atEnd }) => (
            <th key={title} scope="col" class={atEnd ? "end" : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column) => (
              <Cell key={column.title} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

function Cell<Row>({
  column: { title, cell, isName, atEnd, untitled },
  row,
}: {
  column: Column<Row>;
  row: Row;
}): JSX.Element {
  if (isName) return <th scope="row">{cell(row)}</th>;
  return (
    <td class={atEnd ? "end" : undefined} data-label={untitled ? undefined : title}>
      {cell(row)}
    </td>
  );
}
