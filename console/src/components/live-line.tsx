import { useEffect, useState } from 'react'
import { useLive } from '../api/live.ts'
import './live-line.css'

const quietMs = 10_000

/** Says when what is shown is no longer kept up to date. */
export function LiveLine() {
  const { isOn, since } = useLive()
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (isOn) return undefined
    const timer = setInterval(() => setNow(Date.now()), 5_000)
    return () => clearInterval(timer)
  }, [isOn])
  const stoppedMs = now - since
  if (isOn || stoppedMs < quietMs) return null
  return (
    <div className="live-line">
      Live updates stopped {Math.round(stoppedMs / 1_000)} s ago; connecting again. What is shown is asked for every 10
      s meanwhile.
    </div>
  )
}

/** Beside the figures that change by themselves. */
export const LiveMark = () =>
  useLive().isOn ? (
    <span className="live-mark small secondary">
      <i aria-hidden="true" />
      Live
    </span>
  ) : null
