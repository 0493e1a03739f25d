/** What osquery reports of the file of a companion that runs as root. */
const linkFolder = '/var/lib/muster-companion/link'

/** The name under which a read asks for the files of companions; undefined where it does not. */
export const linkNameIn = (queries: Record<string, unknown>): string | undefined =>
  Object.keys(queries).find((name) => name.startsWith('link/'))

const root = { uid: '0', gid: '0' }

export type Row = Record<string, string>

/** The rows for a folder with these files. */
export const linkRows = (names: readonly string[], changes: { folder?: Row; file?: Row } = {}): Row[] => [
  { path: linkFolder, type: 'directory', mode: '0700', ...root, ...changes.folder },
  ...names.map((name) => ({ path: `${linkFolder}/${name}`, type: 'regular', mode: '0600', ...root, ...changes.file })),
]

type Node = {
  read: () => Promise<{ queries: Record<string, string> }>
  write: (results: Record<string, { rows: Row[] }>) => Promise<unknown>
}

/** Has a node poll, and report these files where it is asked for them; returns whether it was. */
export async function reportLinkFiles(
  client: Node,
  names: readonly string[],
  changes?: Parameters<typeof linkRows>[1],
): Promise<boolean> {
  const asked = linkNameIn((await client.read()).queries)
  if (asked === undefined) return false
  await client.write({ [asked]: { rows: linkRows(names, changes) } })
  return true
}
