import { type WebhookEvent, webhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import { webhookExample } from '@muster/contract/webhook-examples.ts'
import { payloadSchema } from './payload-schemas.ts'

type Schema = {
  description?: string
  enum?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
  items?: Schema
  anyOf?: readonly Schema[]
}

const block = /(<!-- events:start -->)[\s\S]*?(<!-- events:end -->)/

/** The text with its description of the events brought up to date; undefined when it has no markers. */
export function withEvents(text: string): string | undefined {
  if (!block.test(text)) return undefined
  const described = webhookEvents.map(section).join('\n\n')
  return text.replace(block, (_, start: string, end: string) => `${start}\n\n${described}\n\n${end}`)
}

function section(event: WebhookEvent): string {
  const { description, properties } = payloadSchema(event) as Schema
  const rows = [...membersOf(properties?.['data'] ?? {}, '')].map(([path, words]) => `| \`${path}\` | ${words} |`)
  return [
    `### \`${event}\``,
    description,
    ['| in `data` | holds |', '|---|---|', ...rows].join('\n'),
    `\`\`\`json\n${JSON.stringify(webhookExample(event), null, 2)}\n\`\`\``,
  ].join('\n\n')
}

/** Members with what they hold, those of objects and of lists of objects below their own. */
function* membersOf({ properties = {} }: Schema, path: string): Generator<[path: string, words: string]> {
  for (const [name, member] of Object.entries(properties)) {
    const place = `${path}${name}`
    if (member.description !== undefined) yield [place, `${member.description}${valuesOf(member)}`]
    const [inner = member] = member.anyOf ?? []
    yield* membersOf(inner, `${place}.`)
    if (inner.items?.properties) yield* membersOf(inner.items, `${place}[].`)
  }
}

const valuesOf = ({ enum: values }: Schema): string =>
  values === undefined ? '' : ` One of ${values.map((value) => `\`${value}\``).join(', ')}.`
