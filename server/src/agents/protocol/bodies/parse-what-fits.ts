import { closeCut } from '../../../base/cut-json.ts'
import { parseInTurns } from '../../../base/parse-in-turns.ts'
import { agentLimits } from '../../../base/scan-json.ts'
import type { AgentContext } from '../agent-context.ts'
import { fieldsOf } from '../answers.ts'
import { countReplaced } from '../count-replaced.ts'
import type { BodyText } from './inflate-body.ts'

/** What is whole of a body: all of it unless it `isCut`, which leaves it without lines or answers at its end. */
export type ParsedBody = { fields: Record<string, unknown>; isCut: boolean }

/** The JSON object in a body, as far as it fits; undefined when there is none in a body that is not cut. */
export async function parseWhatFits(
  context: Pick<AgentContext, 'metrics'>,
  { bytes, isCut }: BodyText,
): Promise<ParsedBody | undefined> {
  const text = isCut ? await closeCut(bytes, agentLimits) : bytes
  countReplaced(context, text)
  const parsed = await parseInTurns(text, agentLimits)
  const isTooLarge = 'fault' in parsed && parsed.fault === 'too_large'
  const kept = isTooLarge ? await parseInTurns(await closeCut(bytes, agentLimits), agentLimits) : parsed
  const fields = 'ok' in kept ? fieldsOf(kept.ok) : undefined
  if (isCut || isTooLarge) return { fields: fields ?? {}, isCut: true }
  return fields && { fields, isCut: false }
}
