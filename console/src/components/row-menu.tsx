import { Menu } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import './row-menu.css'
import { Icon } from './icon.tsx'

type Parts = {
  /** Of the record in the row. */
  readonly name: string
  /** Puts its items into the menu; mounted from the first press on, with whatever dialogs they open. */
  readonly children: (menu: (items: ReactNode) => ReactNode) => ReactNode
}

/** What can be done with a row. Until it is pressed there is a button only: a hundred menus are slow to draw. */
export function RowMenu({ name, children }: Parts) {
  const [isPressed, setIsPressed] = useState(false)
  if (isPressed) return children((items) => <PressedMenu name={name}>{items}</PressedMenu>)
  return (
    <button
      type="button"
      className="row-menu"
      aria-label={labelOf(name)}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setIsPressed(true)}
    >
      <Icon name="dots" />
    </button>
  )
}

const labelOf = (name: string): string => `Actions for ${name}`

/** Takes the place of the button that was pressed, its focus too, and opens. */
function PressedMenu({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => setIsOpen(true), [])
  return (
    // Fixed: what scrolls sideways would cut it off.
    <Menu position="bottom-end" floatingStrategy="fixed" withinPortal={false} opened={isOpen} onChange={setIsOpen}>
      <Menu.Target>
        {/* biome-ignore lint/a11y/noAutofocus: the button that had the focus is this one */}
        <button type="button" className="row-menu" aria-label={labelOf(name)} autoFocus>
          <Icon name="dots" />
        </button>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}

export const RowMenuHead = () => (
  <th className="w-menu">
    <span className="hidden">Actions</span>
  </th>
)
