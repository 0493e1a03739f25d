import Type, { type Static } from 'typebox'

/**
 * A backup of the embedded engine is a `.tar.gz` of the database's folder as it lay on the disk, `pgdata`, behind a
 * manifest that says of which installation it is and what each file is.
 */
export const backupFormat = 'muster backup'
export const manifestName = 'manifest.json'

/** In bytes. That of a new installation has 0.2 MB, and a file of PostgreSQL holds 1 GiB before there is another. */
export const largestManifest = 8 * 2 ** 20

/** No controls, nothing that leaves the folder, and nothing that a file system reads as more than a name. */
const segment = '/(?!\\.\\.?(/|$))[^\\u0000-\\u001f\\u007f-\\u009f/\\\\:]+'
const filePath = `^pgdata(${segment})+$`
const folderPath = `^pgdata(${segment})*/$`

/** Else a name without the pattern is taken, with any value. */
const noOthers = { additionalProperties: false }

const oneLine = Type.String({ pattern: '^[ -~]{1,200}$' })

export const BackupManifest = Type.Object({
  format: Type.Literal(backupFormat),
  version: Type.Literal(1),
  /** Of Muster. */
  muster: oneLine,
  last_migration: oneLine,
  taken_at: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T[\\d:.]{5,20}Z$' }),
  master_key_fingerprint: Type.String({ pattern: '^[0-9a-f]{32}$' }),
  /** The SHA-256 of each, by its path below the archive. */
  files: Type.Record(Type.String({ pattern: filePath }), Type.String({ pattern: '^[0-9a-f]{64}$' }), noOthers),
  /** The bytes of each file, and 0 of each folder, whose path ends with a slash. The first backups have none. */
  sizes: Type.Optional(
    Type.Record(Type.String({ pattern: `${filePath}|${folderPath}` }), Type.Integer({ minimum: 0 }), noOthers),
  ),
  /** See sign-manifest.ts. The first backups have none. */
  mac: Type.Optional(Type.String({ pattern: '^[0-9a-f]{32}$' })),
})
export type BackupManifest = Static<typeof BackupManifest>

const folderForm = new RegExp(folderPath)

/** Whether a folder of this path may be in a backup that lists no folders. */
export const isFolderPath = (path: string): boolean => folderForm.test(path)
