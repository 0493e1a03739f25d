const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** `18:36:20`, in UTC. */
export const clockTime = (time: string): string => new Date(time).toISOString().slice(11, 19)

/** `18:36`, in UTC. */
const minutesOf = (time: string): string => clockTime(time).slice(0, 5)

/** `Sat`, in UTC. */
export const weekdayOf = (time: string): string => weekdays[new Date(time).getUTCDay()] ?? ''

/** `14 Nov`, with the year when it is another one than now's. */
export function dayOf(time: string, now: number): string {
  const date = new Date(time)
  const year = date.getUTCFullYear()
  const text = `${date.getUTCDate()} ${months[date.getUTCMonth()] ?? ''}`
  return year === new Date(now).getUTCFullYear() ? text : `${text} ${year}`
}

/** `Sat 21 Nov 2026`, of a day like `2026-11-21`. */
export function dayName(day: string): string {
  const date = new Date(day)
  return `${weekdays[date.getUTCDay()] ?? ''} ${date.getUTCDate()} ${months[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`
}

/** `Sat 21 Nov 09:14`, in UTC. */
export function deadlineOf(time: string, now: number): string {
  return `${weekdayOf(time)} ${dayOf(time, now)} ${minutesOf(time)}`
}

/** `Fri 20 Nov 2026 18:36:20 UTC`. */
export function fullTime(time: string): string {
  const date = new Date(time)
  const on = `${weekdays[date.getUTCDay()] ?? ''} ${date.getUTCDate()} ${months[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`
  return `${on} ${clockTime(time)} UTC`
}

/** `6 m`, `14 h`, `3 d`: whole units, rounded down. */
export function spanOf(milliseconds: number): string {
  if (milliseconds < minute) return `${Math.floor(milliseconds / second)} s`
  if (milliseconds < hour) return `${Math.floor(milliseconds / minute)} m`
  if (milliseconds < day) return `${Math.floor(milliseconds / hour)} h`
  return `${Math.floor(milliseconds / day)} d`
}

/** The weekday alone would name today. */
function weekdayTime(time: string, now: number): string {
  const isOfToday = new Date(time).getUTCDay() === new Date(now).getUTCDay()
  return `${weekdayOf(time)} ${isOfToday ? `${dayOf(time, now)}, ` : ''}${minutesOf(time)}`
}

/** `6 m ago`, `in 14 h`, `Sat 09:14`, `Sun 29 Nov, 07:52` in a week; beyond it the date. */
export function relativeTime(time: string, now: number): string {
  const distance = new Date(time).getTime() - now
  if (distance > 0) {
    if (distance < day) return `in ${spanOf(distance)}`
    const days = Math.floor(Date.parse(time) / day) - Math.floor(now / day)
    return days <= 7 ? weekdayTime(time, now) : dayOf(time, now)
  }
  if (-distance < 10 * second) return 'just now'
  return -distance < 7 * day ? `${spanOf(-distance)} ago` : dayOf(time, now)
}
