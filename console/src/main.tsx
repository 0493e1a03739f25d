import '@mantine/core/styles/baseline.layer.css'
import '@mantine/core/styles/default-css-variables.layer.css'
import '@mantine/core/styles/global.layer.css'
import '@mantine/core/styles/UnstyledButton.layer.css'
import '@mantine/core/styles/ActionIcon.layer.css'
import '@mantine/core/styles/CloseButton.layer.css'
import '@mantine/core/styles/Loader.layer.css'
import '@mantine/core/styles/Button.layer.css'
import '@mantine/core/styles/Paper.layer.css'
import '@mantine/core/styles/Overlay.layer.css'
import '@mantine/core/styles/Popover.layer.css'
import '@mantine/core/styles/Menu.layer.css'
import '@mantine/core/styles/Modal.layer.css'
import '@mantine/core/styles/ModalBase.layer.css'
import '@mantine/core/styles/Input.layer.css'
import '@mantine/core/styles/InlineInput.layer.css'
import '@mantine/core/styles/PasswordInput.layer.css'
import '@mantine/core/styles/Checkbox.layer.css'
import 'virtual:mantine-variables.css'
import './theme/tokens.css'
import './theme/elements.css'
import './theme/text.css'
import './theme/states.css'
import './theme/tables.css'
import './theme/lists.css'
import './theme/pages.css'
import './theme/facts.css'
import './theme/dialogs.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from './api/api-error.ts'
import { refresh } from './api/query.ts'
import { queryClient } from './api/query-client.ts'
import { onFactorNeeded, onSessionEnd } from './api/request.ts'
import { forgetSession } from './api/session.ts'
import { tellLostPlace } from './components/left-out-line.tsx'
import { returnTo } from './gates/return-address.ts'
import { router } from './router.ts'
import { followSystemScheme } from './shell/scheme.ts'
import { colorSchemeManager } from './theme/color-scheme-manager.ts'
import { theme } from './theme/theme.ts'

onSessionEnd(() => {
  const { location } = router.state
  if (/\/(sign-in|setup|invite)$/.test(location.pathname)) return
  forgetSession()
  void router.navigate({ to: '/sign-in', search: { ...returnTo(location), ended: '1' } })
})

onFactorNeeded(() => {
  void refresh('session')
  void router.navigate({ to: '/setup/second-factor' })
})

// An address that was written by hand, or for a list that has another order by now.
queryClient.getQueryCache().subscribe((event) => {
  if (event.type !== 'updated' || event.action.type !== 'error') return
  const { error } = event.action
  const { pathname, search } = router.state.location
  const { after, from: _from, ...kept } = search as Readonly<Record<string, unknown>>
  if (!(error instanceof ApiError) || error.code !== 'bad_cursor' || after === undefined) return
  tellLostPlace(pathname)
  void router.navigate({ to: pathname, search: kept as never, replace: true })
})

followSystemScheme()

const root = document.querySelector('#root')
if (!root) throw new Error('The page has no place for the console')
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      withCssVariables={false}
      withGlobalClasses={false}
      colorSchemeManager={colorSchemeManager}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
