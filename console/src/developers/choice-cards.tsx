import type { ReactNode } from 'react'

type Option<Value extends string> = { readonly value: Value; readonly title: string; readonly text: ReactNode }

type Parts<Value extends string> = {
  readonly legend: string
  readonly name: string
  readonly options: readonly Option<Value>[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** One of a few, each with what it means. */
export const ChoiceCards = <Value extends string>({ legend, name, options, value, onChange }: Parts<Value>) => (
  <fieldset className="choices">
    <legend>{legend}</legend>
    <div className="choice-box">
      {options.map((option) => (
        <label key={option.value} className={option.value === value ? 'choice on' : 'choice'}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span className="grow">
            <span className="medium block">{option.title}</span>
            <span className="small secondary block">{option.text}</span>
          </span>
        </label>
      ))}
    </div>
  </fieldset>
)
