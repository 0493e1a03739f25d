import type { Secrets } from '../../base/secrets/secrets.ts'
import type { BackupManifest } from './backup-format.ts'

const purpose = 'backup'

/** All of it, also what a later version adds, in the order in which it is written: reading keeps that. */
const signedText = (manifest: Omit<BackupManifest, 'mac'>): string => JSON.stringify(manifest)

/** Signed with the master key, which who can write to where backups are kept does not have. */
export const signManifest = (secrets: Secrets, manifest: Omit<BackupManifest, 'mac'>): BackupManifest => ({
  ...manifest,
  mac: secrets.sign(purpose, signedText(manifest)).toString('hex'),
})

/** Whether the manifest is as it was signed; false as well for one that nobody signed. */
export const isSigned = (secrets: Secrets, { mac = '', ...manifest }: BackupManifest): boolean =>
  secrets.verify(purpose, signedText(manifest), Buffer.from(mac, 'hex'))
