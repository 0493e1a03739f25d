import { Textarea } from '@mantine/core'
import { notText, textOfBytes } from '@muster/contract/text-of-bytes.ts'
import { type ChangeEvent, useState } from 'react'
import { areKeysReadable } from './connection-input.ts'

type Parts = {
  readonly value: string
  readonly isOptional: boolean
  readonly about: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

const longest = 100_000

/** The public keys of whoever signs the requests, pasted or from a file. */
export function RequestKeysField({ value, isOptional, about, error, onChange }: Parts) {
  const [fileFault, setFileFault] = useState<string>()
  const take = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.currentTarget.files?.[0]
    event.currentTarget.value = ''
    if (!file) return
    if (file.size > longest) return setFileFault('The file is too long for a JWK set.')
    const text = textOfBytes(new Uint8Array(await file.arrayBuffer()))
    setFileFault(text === undefined ? `The file ${notText}.` : undefined)
    if (text !== undefined) onChange(text)
  }
  const isUnreadable = !areKeysReadable(value)
  const fault =
    fileFault ?? error ?? (isUnreadable ? 'Must be a JWK set, {"keys": […]}, or an https address of one' : undefined)
  return (
    <div>
      <Textarea
        label={`Public keys that sign its requests${isOptional ? ' (optional)' : ''}`}
        description={`A JWK set, all of one algorithm: RS256, PS256 or ES256. Or the https address where the caller publishes it, which Muster reads again every ten minutes. ${about}`}
        value={value}
        rows={value === '' ? 3 : 8}
        spellCheck={false}
        error={fault}
        onChange={(event) => onChange(event.currentTarget.value)}
        classNames={{ input: 'key-set' }}
      />
      <label className="underlined small file-pick">
        Choose a file
        <input type="file" accept=".json,application/json" className="hidden" onChange={(event) => void take(event)} />
      </label>
    </div>
  )
}
