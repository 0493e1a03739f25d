/**
 * A common table expression `disk` of one row, whose `is_open` is 1 where macOS gives the agent Full Disk Access. Without it
 * osquery has no row and no error, so nothing found says nothing. On a Mac this folder is never empty, and macOS lists it
 * only with that right, to root as well: `sudo find /` says "Operation not permitted" there, and osaurus PR 2605 and
 * cleardisk PR 41, seen on macOS 27, ask it for the same reason. The pattern makes osquery list the folder; a file that
 * is named in full may be there without the right.
 */
export const fullDiskAccess = `disk AS (
  SELECT EXISTS (SELECT 1 FROM file WHERE path LIKE '/Library/Application Support/com.apple.TCC/%') AS is_open)`
