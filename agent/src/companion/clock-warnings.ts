const minuteMs = 60_000
const muchMs = 5 * minuteMs

/** Says in the log when the clock of this device is wrong by minutes, and when it is right again. Nothing depends on it. */
export function clockWarnings(log: (line: string) => void) {
  let isWrong = false
  return (offsetMs: number): void => {
    const wasWrong = isWrong
    isWrong = Math.abs(offsetMs) >= muchMs
    if (isWrong === wasWrong) return
    log(isWrong ? warning(offsetMs) : 'companion: the clock of this device is right again')
  }
}

function warning(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / minuteMs)
  const length = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
  const side = offsetMs > 0 ? 'behind' : 'ahead of'
  return `companion: device_clock_wrong: the clock of this device is ${length} ${side} the server's; sign-ins work all the same`
}
