import type { ConfigFault } from './config-error.ts'

/** Settings of earlier versions, and what stands in their place. They are ignored, so that an upgrade starts. */
const removed: Readonly<Record<string, string>> = {
  MUSTER_SSF_POLL_WITH_API_KEY:
    'was removed and is ignored: a receiver with one credential sends the poll token of its stream as Authorization: Bearer, or an access token of the key that created the stream. Remove the setting',
}

export const isRemovedSetting = (name: string): boolean => Object.hasOwn(removed, name)

/** The removed settings that are still set. */
export const listRemovedSettings = (env: NodeJS.ProcessEnv): ConfigFault[] =>
  Object.entries(removed).flatMap(([name, message]) => (env[name] === undefined ? [] : [{ name, message }]))
