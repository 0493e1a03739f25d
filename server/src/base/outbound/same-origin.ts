/** Whether two addresses have the same scheme, host and port, so that what is secret to one may be sent to the other. */
export const isSameOrigin = (one: string, other: string): boolean => new URL(one).origin === new URL(other).origin
