import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Makes a folder two levels below the root, where the packages of the project are found, and removes it afterwards. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  await mkdir(join(root, '.cache'), { recursive: true })
  const folder = await mkdtemp(join(root, '.cache/types-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export type Wrong = { file: string; text: string }

/** What the type checker says of files in such a folder, and of all that they import. */
export async function typeErrors(folder: string, files: readonly string[]): Promise<readonly Wrong[]> {
  const config = { extends: '../../tsconfig.json', include: [], files }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const args = ['-p', folder, '--checkers', '1', '--pretty', 'false']
  const { stdout } = await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), args, { cwd: folder }).catch(
    (error: { stdout?: string }) => {
      if (error.stdout === undefined) throw error
      return { stdout: error.stdout }
    },
  )
  return stdout.split(/\n(?=\S)/).flatMap((text) => {
    const [, file] = /^(\S+)\(\d+,\d+\): error /.exec(text) ?? []
    return file === undefined ? [] : [{ file, text }]
  })
}
