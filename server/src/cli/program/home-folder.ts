import { homedir } from 'node:os'

/** The home of the user that this process runs as; `/` where the system knows none, as of a number without a name in a container. */
export function homeFolder(): string {
  try {
    return homedir()
  } catch {
    return '/'
  }
}
