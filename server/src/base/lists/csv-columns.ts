/** The columns of a file, in their order, each with what a row has in it. */
export type CsvColumns<Row> = readonly (readonly [head: string, cell: (row: Row) => string | number | null])[]
