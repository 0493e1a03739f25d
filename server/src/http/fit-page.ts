/** The most that an answer has, with room for its envelope below two megabytes. */
const maxBytes = 1_990_000

/** The records from the first on that fit into an answer together, at least one. The rest is on the next page. */
export function fitPage<Item>(records: readonly Item[]): readonly Item[] {
  let bytes = 0
  for (const [index, record] of records.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(record)) + 1
    if (bytes > maxBytes && index > 0) return records.slice(0, index)
  }
  return records
}
