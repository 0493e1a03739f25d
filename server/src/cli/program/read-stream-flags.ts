import { CommandError, exitCodes } from '../command-error.ts'
import { readTextFile } from './read-text-file.ts'

type StreamFlags = {
  preset?: 'okta'
  oktaUrl?: string
  push?: string
  audience?: string
  authorizationFile?: string
  layout?: string
  deviceFormat?: string
}

const chosenByPreset = ['push', 'audience', 'authorizationFile', 'layout', 'deviceFormat'] as const

/** The settings of a new stream that the flags give. */
export async function readStreamFlags<Given extends StreamFlags>(given: Given) {
  const { preset, oktaUrl, authorizationFile: file, ...settings } = given
  if ((preset === undefined) !== (oktaUrl === undefined)) throw usage('--preset okta and --okta-url belong together')
  if (preset && chosenByPreset.some((flag) => given[flag] !== undefined)) {
    throw usage('--preset okta decides on the delivery, audience, authorization, layout and device format')
  }
  if (file !== undefined && settings.push === undefined) throw usage('--authorization-file is for --push')
  const text = file === undefined ? undefined : await readTextFile(file)
  return {
    ...settings,
    ...(oktaUrl !== undefined && { okta: oktaUrl }),
    ...(text !== undefined && { authorization: text.trim() }),
  }
}

const usage = (message: string) => new CommandError(exitCodes.usage, message)
