import { useState } from 'react'
import { type OtherChange, rebaseInput } from './rebase-input.ts'

const isSame = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other)

/** What a form of a record holds while others may change the record, and what they changed since it was opened. */
export function useInput<Input extends object>(now: Input) {
  const [base, setBase] = useState(now)
  // What was read last: a record that was saved here is known before it is read, and what was read before is nobody's change.
  const [read, setRead] = useState(now)
  const [input, setInput] = useState(now)
  const [others, setOthers] = useState<readonly OtherChange<keyof Input>[]>([])
  const begin = (record: Input) => {
    setBase(record)
    setInput(record)
    setOthers([])
  }
  if (!isSame(read, now)) setRead(now)
  if (!isSame(read, now) && !isSame(base, now)) {
    const rebased = rebaseInput(input, base, now)
    const fields = new Set(rebased.others.map(({ field }) => field))
    setBase(now)
    setInput(rebased.input)
    setOthers([...others.filter(({ field }) => !fields.has(field)), ...rebased.others])
  }
  const takeTheirs = (field: keyof Input) => {
    setInput({ ...input, [field]: base[field] })
    setOthers(others.filter((other) => other.field !== field))
  }
  return { base, input, setInput, others, begin, takeTheirs }
}
