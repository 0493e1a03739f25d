import { maskedHeaderValue } from '@muster/contract/masked-header-value.ts'
import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { chosenWebhookEvents } from '@muster/contract/webhook-event-summaries.ts'

/** A custom header in a form. What is kept as it is has no value here: nobody is shown it. */
export type HeaderInput = {
  readonly id: number
  readonly name: string
  readonly value: string
  readonly isKept: boolean
}

/** What a form holds of a webhook. */
export type WebhookInput = {
  readonly url: string
  readonly description: string
  readonly events: readonly (typeof chosenWebhookEvents)[number][]
  readonly headers: readonly HeaderInput[]
}

export const noInput: WebhookInput = { url: '', description: '', events: [], headers: [] }

export const wishesOf = ({ url, description, events, custom_headers: headers }: WebhookEndpoint): WebhookInput => ({
  url,
  description: description ?? '',
  events: chosenWebhookEvents.filter((name) => events.includes(name)).toSorted(),
  headers: Object.keys(headers).map((name, id) => ({ id, name, value: '', isKept: true })),
})

const headersOf = ({ headers }: WebhookInput): Record<string, string> =>
  Object.fromEntries(
    headers
      .filter(({ name, value, isKept }) => isKept || name !== '' || value !== '')
      .map(({ name, value, isKept }) => [name, isKept ? maskedHeaderValue : value]),
  )

export const bodyOf = (input: WebhookInput) => ({
  url: input.url,
  description: input.description.trim() === '' ? null : input.description,
  events: input.events,
  custom_headers: headersOf(input),
})

/** What is to be sent for a change. Another address needs a proof of identity, so it is sent only when there is one. */
export function changeOf(before: WebhookInput, after: WebhookInput): Partial<ReturnType<typeof bodyOf>> {
  const { url, ...rest } = bodyOf(after)
  return { ...rest, ...(url !== before.url && { url }) }
}

export const labels: Readonly<Record<keyof WebhookInput, string>> = {
  url: 'address',
  description: 'description',
  events: 'events',
  headers: 'headers',
}

/** Of headers their names alone. */
export function shownOf(input: WebhookInput, field: keyof WebhookInput): string {
  if (field === 'headers') return input.headers.map(({ name }) => name).join(', ')
  return field === 'events' ? input.events.join(', ') : input[field]
}

const differs = (before: unknown, after: unknown): boolean => JSON.stringify(before) !== JSON.stringify(after)

/** `2 changes: address, events`; blank without any. */
export function changesInWords(before: WebhookInput, after: WebhookInput): string {
  const changed = [
    differs(before.url, after.url) && 'address',
    differs(before.description, after.description) && 'description',
    differs(before.events, [...after.events].sort()) && 'events',
    differs(headersOf(before), headersOf(after)) && 'headers',
  ].filter((word) => word !== false)
  if (changed.length === 0) return ''
  return `${changed.length === 1 ? '1 change' : `${changed.length} changes`}: ${changed.join(', ')}`
}
