import { Menu } from '@mantine/core'

/** Something that can be done with a record, by whoever sees it. */
export type Verb = {
  /** "Delete…": with dots where a dialog asks first. */
  readonly text: string
  readonly run: () => void
  readonly isBusy?: boolean
  readonly isDangerous?: boolean
}

/** Those that are there, as the items of a menu. */
export const VerbItems = ({ verbs }: { readonly verbs: readonly (Verb | false | undefined)[] }) =>
  verbs.map(
    (verb) =>
      verb && (
        <Menu.Item
          key={verb.text}
          {...(verb.isDangerous && { className: 'bad' })}
          disabled={verb.isBusy ?? false}
          onClick={verb.run}
        >
          {verb.text}
        </Menu.Item>
      ),
  )
