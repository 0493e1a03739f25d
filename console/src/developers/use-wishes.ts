import { useState } from 'react'
import { type OtherChange, rebaseWishes } from './rebase-wishes.ts'

/** What a form of a record holds while others may change the record, and what they changed since it was opened. */
export function useWishes<Wishes extends object>(now: Wishes) {
  const [base, setBase] = useState(now)
  const [wishes, setWishes] = useState(now)
  const [others, setOthers] = useState<readonly OtherChange<keyof Wishes>[]>([])
  const begin = (record: Wishes) => {
    setBase(record)
    setWishes(record)
    setOthers([])
  }
  if (JSON.stringify(base) !== JSON.stringify(now)) {
    const rebased = rebaseWishes(wishes, base, now)
    const fields = new Set(rebased.others.map(({ field }) => field))
    setBase(now)
    setWishes(rebased.wishes)
    setOthers([...others.filter(({ field }) => !fields.has(field)), ...rebased.others])
  }
  const takeTheirs = (field: keyof Wishes) => {
    setWishes({ ...wishes, [field]: base[field] })
    setOthers(others.filter((other) => other.field !== field))
  }
  return { base, wishes, setWishes, others, begin, takeTheirs }
}
