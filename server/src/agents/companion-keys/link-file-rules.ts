type Row = Readonly<Record<string, string>>
type Place = { folder: string; separator: string; owners: readonly string[]; hasModes: boolean }

const posix = { separator: '/', owners: ['0'], hasModes: true }
const linux: Place = { ...posix, folder: '/var/lib/muster-companion/link' }
const places: Readonly<Record<string, Place>> = {
  Mac: { ...posix, folder: '/Library/Application Support/Muster/link' },
  // SYSTEM and Administrators. osquery tells no modes here.
  Windows: { folder: 'C:\\ProgramData\\Muster\\link', separator: '\\', owners: ['18', '544'], hasModes: false },
}

const placeOf = (deviceType: string): Place => places[deviceType] ?? linux

/** What the osquery node of a device of this type is asked: the folder of its companion's files, and what is in it. */
export function linkSqlOf(deviceType: string): string {
  const { folder, separator } = placeOf(deviceType)
  // Not with `or`, beside which a table may not be handed the pattern.
  return [`path = '${folder}'`, `path like '${folder}${separator}%'`]
    .map((condition) => `select path, type, uid, gid, mode from file where ${condition}`)
    .join(' union all ')
}

/**
 * The names of the files that show that their companion runs as root on the machine of this node. Any local user could
 * make others: they count only where folder and file belong to root, nobody else can write to the folder, and nobody else
 * can read the file.
 */
export function namesShown(deviceType: string, rows: readonly Row[]): ReadonlySet<string> {
  const place = placeOf(deviceType)
  const start = place.folder + place.separator
  const isOwnFolder = rows.some(
    (row) =>
      (row['path'] === place.folder || row['path'] === start) &&
      row['type'] === 'directory' &&
      isKept(place, row, writableByOthers),
  )
  if (!isOwnFolder) return new Set()
  return new Set(
    rows.flatMap((row) => {
      const name = row['path']?.startsWith(start) ? row['path'].slice(start.length) : ''
      return name !== '' && row['type'] === 'regular' && isKept(place, row, anyAccessOfOthers) ? [name] : []
    }),
  )
}

const writableByOthers = 0o022
const anyAccessOfOthers = 0o077

function isKept({ owners, hasModes }: Place, { uid = '', mode = '' }: Row, forbidden: number): boolean {
  if (!owners.includes(uid)) return false
  if (!hasModes) return true
  return /^[0-7]{3,5}$/.test(mode) && (Number.parseInt(mode, 8) & forbidden) === 0
}
