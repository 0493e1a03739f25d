import Type from 'typebox'
import { listSigningKeys, rotateSigningKey } from '../../streams/signing-keys.ts'
import { defineCommand } from '../data-command.ts'
import { alignColumns } from '../table.ts'

export const rotateSigningKeyCommand = defineCommand({
  name: 'rotate-signing-key',
  args: Type.Object({ emergency: Type.Boolean() }),
  async run({ connection, secrets, now }, { emergency: isEmergency }, io) {
    const { kid, activeFrom } = await rotateSigningKey(connection.db, secrets, { now, isEmergency })
    await io.line(kid)
    await io.error(
      isEmergency
        ? 'It signs from now on. Receivers that keep the published keys for their hour refuse its tokens until they fetch them again.'
        : `It is published now and signs from ${activeFrom} on, when every receiver has it. The present key stays published for 31 days more.`,
    )
    return 0
  },
})

export const listSigningKeysCommand = defineCommand({
  name: 'list-signing-keys',
  args: Type.Object({}),
  async run({ connection, now }, _args, io) {
    const rows = (await listSigningKeys(connection.db)).map((key) => [
      key.kid,
      stateOf(key, now),
      key.active_from,
      key.retired_at,
    ])
    for (const line of alignColumns(['ID', 'STATE', 'SIGNS FROM', 'SIGNS UNTIL'], rows)) await io.line(line)
    return 0
  },
})

function stateOf(
  { active_from: from, retired_at: until }: { active_from: string; retired_at: string | null },
  now: string,
) {
  if (until !== null && until <= from) return 'never used'
  if (from > now) return 'published'
  return until !== null && until <= now ? 'retired' : 'signing'
}
