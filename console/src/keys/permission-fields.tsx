import { TextInput } from '@mantine/core'
import { type Permission, permissions } from '@muster/contract/permissions.ts'

export type Rationales = Readonly<Partial<Record<Permission, string>>>

type Parts = {
  /** Those that may be chosen: nobody grants what they may not do themselves. */
  readonly names: readonly Permission[]
  readonly value: Rationales
  readonly onChange: (value: Rationales) => void
  readonly faultOf: (field: string) => string | undefined
}

/** Permissions, each with the reason that it is granted for. */
export const PermissionFields = ({ names, value, onChange, faultOf }: Parts) => (
  <div>
    {names.map((name) => {
      const { title, description } = permissions[name]
      const rationale = value[name]
      const toggle = () => {
        const { [name]: _was, ...others } = value
        onChange(rationale === undefined ? { ...value, [name]: '' } : others)
      }
      return (
        <div className="permission-field" key={name}>
          <label className="check-line">
            <input type="checkbox" checked={rationale !== undefined} onChange={toggle} />
            <span>
              <span className="medium block">{title}</span>
              <span className="small secondary block">{description}</span>
            </span>
          </label>
          {rationale !== undefined && (
            <TextInput
              name={`permissions/${name}`}
              label={`Why it needs “${title}”`}
              value={rationale}
              maxLength={1_000}
              error={faultOf(`permissions/${name}`)}
              onChange={(event) => onChange({ ...value, [name]: event.currentTarget.value })}
            />
          )}
        </div>
      )
    })}
  </div>
)
