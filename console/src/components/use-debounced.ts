import { useEffect, useState } from 'react'

/** The value, once it has stayed the same for so long; compared by what it holds. */
export function useDebounced<Value>(value: Value, milliseconds: number): Value {
  const [settled, setSettled] = useState(value)
  const text = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as Value), milliseconds)
    return () => clearTimeout(timer)
  }, [text, milliseconds])
  return settled
}
