import { userInfo } from 'node:os'

/** The name of the user that this process runs as; where the system knows no name, as in many containers, one with its number. */
export function operatingUser(): string {
  try {
    return userInfo().username
  } catch {
    return `user-${process.getuid?.() ?? 'unknown'}`
  }
}
