import { Check } from 'typebox/value'
import type { Secrets } from '../base/secrets/secrets.ts'
import type { ChainHead } from '../signals/audit/chain-head.ts'
import { AuditHead } from './audit-head.ts'
import { CommandError, exitCodes } from './command-error.ts'
import { readTextFile } from './program/read-text-file.ts'

const purpose = 'audit_head'

const signedText = (head: Omit<AuditHead, 'mac'>): string =>
  JSON.stringify([
    head.format,
    head.version,
    head.organization_id,
    head.last_id,
    head.hash,
    head.count,
    head.exported_at,
  ])

/** Signed with the master key, which who can write to the database alone does not have. */
export function signAuditHead(
  secrets: Secrets,
  { organizationId, lastId, hash, count }: ChainHead,
  now: string,
): AuditHead {
  const head = {
    format: 'muster audit head',
    version: 1,
    organization_id: organizationId,
    last_id: lastId,
    hash,
    count,
    exported_at: now,
  } as const
  return { ...head, mac: secrets.sign(purpose, signedText(head)).toString('hex') }
}

export function requireSignedHead(secrets: Secrets, head: AuditHead): void {
  if (secrets.verify(purpose, signedText(head), Buffer.from(head.mac, 'hex'))) return
  throw new CommandError(
    exitCodes.failure,
    'The head was changed, or exported by an installation with another master key: nothing can be told by it',
  )
}

export async function readAuditHead(path: string): Promise<AuditHead> {
  const head = parseJson(await readTextFile(path))
  if (Check(AuditHead, head)) return head
  throw new CommandError(exitCodes.usage, `${path} is not what muster audit head writes`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
