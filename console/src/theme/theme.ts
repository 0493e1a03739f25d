import {
  Button,
  createTheme,
  defaultVariantColorsResolver,
  Input,
  Menu,
  Modal,
  Tooltip,
  type VariantColorsResolver,
} from '@mantine/core'

/** Colours are our own CSS variables (tokens.css), so that light and dark are one rule and nothing is computed at run time. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const { variant, color = 'ink' } = input
  if (color === 'ink' && variant === 'filled')
    return {
      background: 'var(--ink)',
      hover: 'var(--ink-hover)',
      color: 'var(--on-ink)',
      border: '1px solid transparent',
    }
  if (color === 'ink' && variant === 'subtle')
    return { background: 'transparent', hover: 'var(--hover)', color: 'var(--t2)', border: '1px solid transparent' }
  if (color === 'danger' && variant === 'filled')
    return { background: 'var(--danger)', hover: 'var(--danger-hover)', color: '#fff', border: '1px solid transparent' }
  if (color === 'danger')
    return {
      background: 'transparent',
      hover: 'var(--blocked-b)',
      color: 'var(--blocked-t)',
      border: '1px solid transparent',
    }
  const state = /^(good|notified|will|blocked|idle)$/.exec(color)?.[1]
  if (state && variant === 'light')
    return {
      background: `var(--${state}-b)`,
      hover: `var(--${state}-b)`,
      color: `var(--${state}-t)`,
      border: '1px solid transparent',
    }
  return defaultVariantColorsResolver(input)
}

export const theme = createTheme({
  primaryColor: 'ink',
  primaryShade: { light: 9, dark: 0 },
  variantColorResolver,
  colors: {
    ink: ['#eceef1', '#d5d8dd', '#b6bcc5', '#939aa5', '#747b86', '#626974', '#474d58', '#343941', '#262a30', '#1b1e23'],
    gray: [
      '#f6f7f8',
      '#f1f2f4',
      '#e9ebee',
      '#e4e6e9',
      '#d0d4da',
      '#858b96',
      '#626974',
      '#474d58',
      '#2a2e35',
      '#14161a',
    ],
    dark: [
      '#eceef1',
      '#b6bcc5',
      '#939aa5',
      '#6f7680',
      '#363c44',
      '#22262b',
      '#16191d',
      '#0f1113',
      '#0a0b0d',
      '#070809',
    ],
  },
  fontFamily: '"Inter Variable", Inter, system-ui, -apple-system, "Segoe UI", sans-serif',
  fontFamilyMonospace: '"JetBrains Mono Variable", ui-monospace, "SF Mono", Consolas, monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '13px', lg: '14px', xl: '20px' },
  lineHeights: { xs: '16px', sm: '20px', md: '20px', lg: '20px', xl: '28px' },
  fontWeights: { regular: '400', medium: '500', bold: '600' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '28px' },
      h2: { fontSize: '14px', lineHeight: '20px' },
      h3: { fontSize: '13px', lineHeight: '20px' },
      h4: { fontSize: '13px', lineHeight: '20px' },
      h5: { fontSize: '12px', lineHeight: '16px' },
      h6: { fontSize: '12px', lineHeight: '16px' },
    },
  },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  radius: { xs: '4px', sm: '6px', md: '6px', lg: '8px', xl: '10px' },
  defaultRadius: 'sm',
  shadows: { xs: 'var(--sh1)', sm: 'var(--sh1)', md: 'var(--sh2)', lg: 'var(--sh2)', xl: 'var(--sh2)' },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Button: Button.extend({ defaultProps: { size: 'sm', variant: 'default' } }),
    Input: Input.extend({ defaultProps: { size: 'sm' } }),
    // Hints stand below.
    InputWrapper: Input.Wrapper.extend({
      defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] },
    }),
    Modal: Modal.extend({
      defaultProps: {
        lockScroll: false,
        centered: true,
        radius: 'xl',
        transitionProps: { transition: 'fade', duration: 120 },
      },
    }),
    Menu: Menu.extend({
      defaultProps: {
        shadow: 'md',
        radius: 'lg',
        transitionProps: { transition: 'fade', duration: 120 },
        // No item, and so nothing that may stand in a menu: the focus begins on the first item.
        withInitialFocusPlaceholder: false,
      },
    }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 300, transitionProps: { duration: 80 } } }),
  },
})
