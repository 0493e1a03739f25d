import { NotCollected } from './not-collected.ts'
import type { Row } from './table.ts'

/** The rows, unless they are more than `most`: then the table is not collected, since a part would read as the whole. */
export function* bounded(rows: Iterable<Row>, most: number): Iterable<Row> {
  let count = 0
  for (const row of rows) {
    count += 1
    if (count > most) throw new NotCollected(`there are more than ${most} rows; ask for fewer`)
    yield row
  }
}
