import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accountQuery } from '../api/account-query.ts'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { AccountFrame } from './account-frame.tsx'
import { AuthenticatorApp } from './authenticator-app.tsx'
import { Passkeys } from './passkeys.tsx'
import { PasswordBlock } from './password-block.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'

export function SecurityPage() {
  const account = useQuery(accountQuery)
  const [codes, setCodes] = useState<readonly string[]>([])
  return (
    <AccountFrame title="Security" lead="How you sign in.">
      {account.isError && (
        <Failure
          what="Your account could not be loaded."
          error={account.error}
          onRetry={() => void account.refetch()}
        />
      )}
      {account.isPending && <SkeletonRows rows={4} />}
      {account.data && (
        <>
          <PasswordBlock state={account.data} />
          <Passkeys state={account.data} onCodes={setCodes} />
          <AuthenticatorApp state={account.data} onCodes={setCodes} />
          <RecoveryCodes state={account.data} onCodes={setCodes} />
        </>
      )}
      <RecoveryCodesDialog codes={codes} onClose={() => setCodes([])} />
    </AccountFrame>
  )
}
