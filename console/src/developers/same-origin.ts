/** Whether two addresses share scheme, host and port. What is no address yet shares them with everything. */
export function isSameOrigin(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return true
  return new URL(one).origin === new URL(other).origin
}
