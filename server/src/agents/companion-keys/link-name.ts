import { randomBytes } from 'node:crypto'

/** 192 bits that nobody can guess. */
export const randomName = (): string => randomBytes(24).toString('base64url')

/** The name of a file that an osquery node is asked for. It says since when. */
export const linkNameAt = (now: string): string => `${randomName()}-${Date.parse(now).toString(36)}`
