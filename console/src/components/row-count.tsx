import { useEffect, useState } from 'react'

type Parts = { readonly count: number | undefined; readonly one: string; readonly many: string }

/** How many a filter finds, told to screen readers as well; the old number stays until the new one is there. */
export function RowCount({ count, one, many }: Parts) {
  const [said, setSaid] = useState('')
  useEffect(() => {
    if (count !== undefined) setSaid(count === 1 ? `1 ${one}` : `${count.toLocaleString('en')} ${many}`)
  }, [count, one, many])
  return (
    <span className="secondary tabular" role="status">
      {said}
    </span>
  )
}
