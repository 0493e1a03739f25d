/** A pause ends by itself after this at the latest. */
export const maxPauseMinutes = 24 * 60
