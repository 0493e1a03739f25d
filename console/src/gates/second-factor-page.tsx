import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import '../components/section-frame.css'
import { Button } from '@mantine/core'
import type { TotpSetup } from '@muster/contract/console.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { RecoveryCodeList } from '../account/recovery-code-list.tsx'
import { TotpForm } from '../account/totp-form.tsx'
import { makePasskey } from '../api/passkeys.ts'
import { endOfSession } from '../api/request.ts'
import { renewSession, useSession } from '../api/session.ts'
import { browserName } from '../components/browser-name.ts'
import { FormFault } from '../components/form-fault.tsx'
import { Icon } from '../components/icon.tsx'
import { useAction } from '../components/use-action.ts'
import { Gate } from './gate.tsx'
import { GateSteps } from './gate-steps.tsx'

/** After a password was chosen by a link, the best moment for a second factor; or before anything else, where it is required. */
export function SecondFactorPage() {
  const [setup, setSetup] = useState<TotpSetup | undefined>()
  const [codes, setCodes] = useState<readonly string[]>([])
  if (codes.length > 0) return <Codes codes={codes} />
  return (
    <Gate title="Add a second factor">
      <GateSteps now="Second factor" />
      {setup ? (
        <TotpForm setup={setup} onClose={() => setSetup(undefined)} onCodes={setCodes} />
      ) : (
        <Choice onSetup={setSetup} onCodes={setCodes} />
      )}
    </Gate>
  )
}

type ChoiceParts = {
  readonly onSetup: (setup: TotpSetup) => void
  readonly onCodes: (codes: readonly string[]) => void
}

function Choice({ onSetup, onCodes }: ChoiceParts) {
  const goOn = useGoOn()
  const isNeeded = useSession()?.needs_second_factor ?? false
  const leave = useAction({
    act: () => api('signOut'),
    onDone: endOfSession,
  })
  const options = useQuery(query('getSignInOptions'))
  const passkey = useAction({
    act: async () => {
      const body = { name: browserName(navigator.userAgent).slice(0, 100), ...(await makePasskey()) }
      return api('addPasskey', { body })
    },
    onDone: ({ recovery_codes: codes }) => (codes.length > 0 ? onCodes(codes) : goOn()),
    hasForm: true,
  })
  const totp = useAction({
    act: () => api('beginTotp'),
    onDone: onSetup,
    hasForm: true,
  })
  return (
    <>
      <p className="gate-lead">
        {isNeeded && 'Your organization requires a second factor. Set one up to continue. '}
        Anyone who knows your password can sign in. Add a passkey, or an app that gives a code after your password.
      </p>
      <div className="gate-ways">
        {options.data?.passkeys && (
          <Button
            variant="filled"
            fullWidth
            leftSection={<Icon name="fingerprint" />}
            loading={passkey.isPending}
            onClick={() => passkey.mutate()}
          >
            Add a passkey
          </Button>
        )}
        <Button fullWidth loading={totp.isPending} onClick={() => totp.mutate()}>
          Set up an authenticator app
        </Button>
        <FormFault error={() => passkey.faultBeside() ?? totp.faultBeside()} />
      </div>
      {isNeeded ? (
        <p className="gate-later">
          <button type="button" className="plain underlined" onClick={() => leave.mutate()}>
            Sign out
          </button>
          <span className="small faint">Can’t set one up? Ask an administrator with full access for a reset.</span>
        </p>
      ) : (
        <p className="gate-later">
          <Link className="underlined" to="/">
            Later
          </Link>
          <span className="small faint">You can add one under Your account → Security.</span>
        </p>
      )}
    </>
  )
}

/** To the pages, with a session that the factor is known of. */
function useGoOn(): () => void {
  const navigate = useNavigate()
  return () =>
    void api('getSession').then((session) => {
      renewSession(session)
      return navigate({ to: '/' })
    })
}

function Codes({ codes }: { codes: readonly string[] }) {
  const goOn = useGoOn()
  return (
    <Gate title="Save your recovery codes">
      <GateSteps now="Recovery codes" />
      <p className="gate-lead">
        Each code works once in place of your second factor. Store them with your passwords or on paper: they are not
        shown again.
      </p>
      <div className="gate-form">
        <RecoveryCodeList codes={codes} />
        <Button variant="filled" fullWidth onClick={goOn}>
          I’ve saved them
        </Button>
      </div>
    </Gate>
  )
}
