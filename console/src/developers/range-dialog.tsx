import { Button, Modal, TextInput } from '@mantine/core'
import type { RangeCount } from '@muster/contract/console-developers.ts'
import { type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type Beside, FormFault } from '../components/form-fault.tsx'
import { countText } from './count-text.ts'

export type SentRange<State extends string> = { readonly from: string; readonly to: string; readonly state?: State }

type Parts<State extends string> = {
  readonly title: string
  readonly what: string
  /** "event", "delivery" in one and in many. */
  readonly nouns: readonly [string, string]
  readonly states: readonly { readonly value: State | ''; readonly text: string }[]
  readonly firstState: State | ''
  // biome-ignore lint/suspicious/noExplicitAny: the key is of whoever counts
  readonly counting: (range: SentRange<State>) => UseQueryOptions<RangeCount, Error, RangeCount, any>
  readonly onSend: (range: SentRange<State>) => void
  readonly isBusy: boolean
  readonly fault: Beside
  readonly onClose: () => void
}

const hourMs = 3_600_000
/** As the field writes it: UTC, to the minute. */
const fieldTime = (time: number): string => new Date(time).toISOString().slice(0, 16)

const isoOf = (field: string): string | undefined => {
  const time = new Date(`${field}Z`)
  return field === '' || Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

/** Which of what was sent in a time is sent again, and how many that are. */
export const RangeDialog = <State extends string>(parts: Parts<State> & { readonly isOpen: boolean }) => (
  <Modal opened={parts.isOpen} onClose={parts.onClose} title={parts.title} withCloseButton={false}>
    {parts.isOpen && <RangeForm {...parts} />}
  </Modal>
)

function RangeForm<State extends string>({
  what,
  nouns,
  states,
  firstState,
  counting,
  onSend,
  isBusy,
  fault,
  onClose,
}: Parts<State>) {
  const [from, setFrom] = useState(() => fieldTime(Date.now() - hourMs))
  const [to, setTo] = useState(() => fieldTime(Date.now() + 60_000))
  const [state, setState] = useState<State | ''>(firstState)
  const [first, last] = [isoOf(from), isoOf(to)]
  const range =
    first !== undefined && last !== undefined && first < last
      ? { from: first, to: last, ...(state !== '' && { state }) }
      : undefined
  const count = useQuery({
    ...counting(range ?? { from: '', to: '' }),
    enabled: range !== undefined,
  })
  const found = range === undefined ? undefined : count.data?.count
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (range) onSend(range)
  }
  return (
    <form className="dialog-form" onSubmit={submit} noValidate>
      <p className="secondary">{what}</p>
      <div className="form-two">
        <TextInput
          label="From, UTC"
          type="datetime-local"
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
          data-autofocus
        />
        <TextInput
          label="To, UTC"
          type="datetime-local"
          value={to}
          error={first !== undefined && last !== undefined && first >= last ? 'Must be after the beginning' : undefined}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
      </div>
      <label className="row">
        <span>Which</span>
        <select
          className="select"
          value={state}
          onChange={(event) => setState(states[event.currentTarget.selectedIndex]?.value ?? firstState)}
        >
          {states.map((one) => (
            <option key={one.value} value={one.value}>
              {one.text}
            </option>
          ))}
        </select>
      </label>
      <p role="status" className="secondary">
        {count.isError && range !== undefined && count.error.message}
        {found !== undefined && `${countText(found)} ${found === 1 ? nouns[0] : nouns[1]} in this range.`}
      </p>
      <FormFault error={fault} />
      <div className="dialog-ends">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={isBusy} disabled={found === undefined || found === 0}>
          {found === undefined || found === 0
            ? 'Send again'
            : `Send ${countText(found)} ${found === 1 ? nouns[0] : nouns[1]} again`}
        </Button>
      </div>
    </form>
  )
}
