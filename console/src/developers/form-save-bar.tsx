import { Button } from '@mantine/core'
import { LeaveGuard } from '../components/leave-guard.tsx'
import { SaveBar } from '../components/save-bar.tsx'

type Parts = {
  /** What is changed, in words; blank while nothing is. */
  readonly changes: string
  readonly consequence: string
  readonly verb: string
  readonly isBusy: boolean
  readonly onDiscard: () => void
}

/** Of a form that is submitted. */
export const FormSaveBar = ({ changes, consequence, verb, isBusy, onDiscard }: Parts) => (
  <>
    <LeaveGuard isDirty={changes !== '' && !isBusy} />
    {changes !== '' && (
      <SaveBar said={changes} below={<div className="small secondary">{consequence}</div>} onDiscard={onDiscard}>
        <Button type="submit" variant="filled" loading={isBusy}>
          {verb}
        </Button>
      </SaveBar>
    )}
  </>
)
