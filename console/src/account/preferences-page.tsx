import { useState } from 'react'
import { Block } from '../components/section-frame.tsx'
import { areLettersOn, switchLetters } from '../shell/letters.ts'
import { chooseScheme, type SchemeWish, schemeWish } from '../shell/scheme.ts'
import { AccountFrame } from './account-frame.tsx'

const wishes: readonly (readonly [SchemeWish, string])[] = [
  ['auto', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

export function PreferencesPage() {
  const [wish, setWish] = useState(schemeWish())
  const [hasLetters, setHasLetters] = useState(areLettersOn())
  return (
    <AccountFrame title="Preferences" lead="Kept in this browser.">
      <Block title="Appearance">
        <fieldset className="choices" aria-label="Appearance">
          {wishes.map(([value, text]) => (
            <label key={value} className="choice">
              <input
                type="radio"
                name="scheme"
                checked={wish === value}
                onChange={() => {
                  chooseScheme(value)
                  setWish(value)
                }}
              />
              {text}
            </label>
          ))}
        </fieldset>
      </Block>
      <Block title="Keyboard">
        <label className="choice">
          <input
            type="checkbox"
            checked={hasLetters}
            onChange={(event) => {
              switchLetters(event.currentTarget.checked)
              setHasLetters(event.currentTarget.checked)
            }}
          />
          <span>
            Single keys do something
            <small>
              <kbd>G</kbd> then a letter goes to a page, <kbd>/</kbd> searches, <kbd>?</kbd> shows all. Switch them off
              where speech or another tool types for you.
            </small>
          </span>
        </label>
      </Block>
    </AccountFrame>
  )
}
