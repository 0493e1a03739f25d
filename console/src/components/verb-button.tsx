import { Button } from '@mantine/core'
import type { Verb } from './verbs.tsx'

/** On the page of a record, where what is asked for most needs no menu. */
export const VerbButton = ({ verb }: { readonly verb: Verb | false }) =>
  verb && (
    <Button loading={verb.isBusy ?? false} onClick={verb.run}>
      {verb.text}
    </Button>
  )
