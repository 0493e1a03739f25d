import Type, { type Static } from 'typebox'

/**
 * A backup of the embedded engine is a `.tar.gz` of the database's folder as it lay on the disk, `pgdata`, behind a
 * manifest that says of which installation it is and what each file is.
 */
export const backupFormat = 'muster backup'
export const manifestName = 'manifest.json'

export const BackupManifest = Type.Object({
  format: Type.Literal(backupFormat),
  version: Type.Literal(1),
  /** Of Muster. */
  muster: Type.String(),
  last_migration: Type.String(),
  taken_at: Type.String(),
  master_key_fingerprint: Type.String(),
  /** The SHA-256 of each, by its path below the archive. */
  files: Type.Record(Type.String(), Type.String({ pattern: '^[0-9a-f]{64}$' })),
})
export type BackupManifest = Static<typeof BackupManifest>
