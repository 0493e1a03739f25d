import { Button, Menu } from '@mantine/core'
import { Icon } from './icon.tsx'
import { type Verb, VerbItems } from './verbs.tsx'

/** What is done less often with a record, behind the dots; nothing where there is none of it. */
export const MoreActions = ({ verbs }: { readonly verbs: readonly (Verb | false | undefined)[] }) =>
  verbs.some(Boolean) && (
    <Menu position="bottom-end" width={220} withinPortal={false}>
      <Menu.Target>
        <Button aria-label="More actions">
          <Icon name="dots" size={14} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <VerbItems verbs={verbs} />
      </Menu.Dropdown>
    </Menu>
  )
