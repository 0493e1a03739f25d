/** Root reads everything; another user gets the reason that the table is not collected. */
export function needsRoot(uid: number | undefined): string | undefined {
  return uid === 0 ? undefined : 'the agent does not run as root'
}
