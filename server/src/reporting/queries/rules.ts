export type RunInterval = number

export const minInterval: RunInterval = 3_600
export const dailyInterval: RunInterval = 86_400
export const maxInterval: RunInterval = 30 * dailyInterval

export const nextRunAfter = (now: string, interval: RunInterval): string =>
  new Date(Date.parse(now) + interval * 1_000).toISOString()
