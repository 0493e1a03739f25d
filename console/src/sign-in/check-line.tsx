import { Input } from '@mantine/core'
import { type ReactNode, useId } from 'react'

type Parts = {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
  readonly error?: string | undefined
  readonly children: ReactNode
}

/** A setting that is on or off, with what it means. */
export function CheckLine({ label, isOn, onChange, error, children }: Parts) {
  const id = useId()
  return (
    <div>
      <label className="check-line">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => onChange(event.currentTarget.checked)}
          {...(error !== undefined && { 'aria-invalid': true, 'aria-describedby': id })}
        />
        <span>
          <span className="medium block">{label}</span>
          <span className="small secondary block">{children}</span>
        </span>
      </label>
      {error !== undefined && <Input.Error id={id}>{error}</Input.Error>}
    </div>
  )
}
