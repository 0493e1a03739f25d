import type { KeyPurpose } from '../../base/db/schema.ts'
import { orNotFound } from '../../base/errors.ts'
import { plusMs } from '../../base/time.ts'
import { keyPurposes } from '../../keys/key-purposes.ts'
import { findKey, type Rotated, rotateSigningKey, withdrawSigningKey } from '../../keys/rotate-signing-key.ts'
import { listSigningKeys, stateOfKey } from '../../keys/signing-keys.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { resignTokens } from '../../signals/streams/resign-tokens.ts'
import type { CommandIo } from '../data-command.ts'
import { implement } from '../describe-commands.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'
import { alignColumns } from '../table.ts'
import { signingKeyGroup } from './key-group.ts'

export const signingKeyCommands = implement(signingKeyGroup, {
  async rotateSigning(
    { connection: { db }, secrets, now },
    { organization: named, purpose: of = 'signals', emergency: isEmergency = false },
    io,
  ) {
    const ring = { organizationId: (await organizationOf(db, named)).id, purpose: of }
    const rotated = await rotateSigningKey(
      db,
      secrets,
      { ring, isEmergency, resign: resignTokens, record: recordAudit },
      terminalChange(ring.organizationId, now),
    )
    await io.line(rotated.kid)
    if (isEmergency) await tellOfWithdrawal(io, of, rotated)
    else if (rotated.activeFrom === now) await io.error('It signs now: there was no key for this purpose.')
    else {
      await io.error(
        `It is published now and signs from ${rotated.activeFrom} on, when everyone who verifies has it. The present key stays published until ${plusMs(rotated.activeFrom, keyPurposes[of].keptMs)}.`,
      )
    }
  },

  async withdrawSigning({ connection: { db }, secrets, now }, { kid }, io) {
    const { organization_id: organizationId, purpose: of } = orNotFound(await findKey(db, kid))
    const withdrawal = await withdrawSigningKey(
      db,
      secrets,
      { kid, resign: resignTokens, record: recordAudit },
      terminalChange(organizationId, now),
    )
    await io.line(withdrawal.kid === undefined ? `Withdrew ${kid}` : `Withdrew ${kid}; ${withdrawal.kid} signs now`)
    await tellOfWithdrawal(io, of, withdrawal)
  },

  async listSigning({ connection: { db }, now }, { organization: named }, io) {
    const of = named === undefined ? undefined : (await organizationOf(db, named)).id
    const rows = (await listSigningKeys(db, of)).map((key) => [
      key.organization_id,
      key.purpose,
      key.kid,
      stateOfKey(key, now),
      key.active_from,
      key.withdrawn_at ?? key.retired_at,
    ])
    const heads = ['ORGANIZATION', 'PURPOSE', 'ID', 'STATE', 'SIGNS FROM', 'SIGNS UNTIL']
    for (const line of alignColumns(heads, rows)) await io.line(line)
  },
})

async function tellOfWithdrawal(
  io: CommandIo,
  of: KeyPurpose,
  { withdrawn, resignedCount }: Pick<Rotated, 'withdrawn' | 'resignedCount'>,
) {
  const waiting = resignedCount === 1 ? '1 event that waits is' : `${resignedCount} events that wait are`
  const again = of === 'signals' ? ` ${waiting} signed again, with the same jti.` : ''
  await io.error(`Out of the key set: ${withdrawn.join(', ') || 'none'}.${again}`)
  await io.error(`${keepers[of]} Until then they trust the withdrawn key, and refuse what the new one signs.`)
}

/** Who has the key set of before, and for how long. */
const keepers: Readonly<Record<KeyPurpose, string>> = {
  signals: 'Receivers may keep the key set for an hour: have those that can fetch it again now.',
  challenge: 'Companions fetch the key set when somebody signs in, or within five minutes.',
  oidc: 'Applications keep the key set for as long as they like, often until they meet a new key.',
  entra: 'Microsoft Entra may keep the key set for a day.',
}
