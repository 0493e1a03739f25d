import { Menu } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import './row-menu.css'
import { Icon } from './icon.tsx'
import type { Column } from './records.tsx'

type Parts = {
  /** Of the record in the row. */
  readonly name: string
  /** Puts its items into the menu; mounted from the first press on, with whatever dialogs they open. */
  readonly children: (menu: (items: ReactNode) => ReactNode) => ReactNode
}

/** What can be done with a row. Until it is pressed there is a button only: a hundred menus are slow to draw. */
function RowMenu({ name, children }: Parts) {
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

type MenuColumnParts<Row> = {
  readonly nameOf: (row: Row) => string
  /** Nothing where the administrator may do nothing with the row. */
  readonly menuOf: (row: Row) => Parts['children'] | undefined
}

/** The last column of a list: the menu of each row. */
export const menuColumn = <Row,>({ nameOf, menuOf }: MenuColumnParts<Row>): Column<Row> => ({
  text: 'Actions',
  isUntitled: true,
  head: 'w-menu',
  className: 'c-menu',
  cell: (row) => {
    const menu = menuOf(row)
    return menu && <RowMenu name={nameOf(row)}>{menu}</RowMenu>
  },
})
