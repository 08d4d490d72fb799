/** Colours, sizes and the defaults of components. */

import {
  ActionIcon,
  Badge,
  Button,
  createTheme,
  Drawer,
  Menu,
  Modal,
  Select,
  Tabs,
  Textarea,
  TextInput,
  Tooltip,
  type MantineColorsTuple,
} from "@mantine/core";

const teal: MantineColorsTuple = [
  "#e6f7f9",
  "#cfecf0",
  "#a2d8e0",
  "#71c3cf",
  "#49b1c0",
  "#2fa5b6",
  "#1b9fb2",
  "#0b7f90",
  "#0b7285",
  "#005766",
];
const dark: MantineColorsTuple = [
  "#d5d9e0",
  "#b4bac4",
  "#949ca9",
  "#6b7482",
  "#3a424e",
  "#2a313b",
  "#1e242c",
  "#161b22",
  "#10141a",
  "#0a0d12",
];

const CLOSE = { "aria-label": "Close the dialog" };

export const theme = createTheme({
  primaryColor: "teal",
  primaryShade: { light: 8, dark: 7 },
  colors: { teal, dark },
  autoContrast: true,
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace:
    "ui-monospace, 'JetBrains Mono', 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  defaultRadius: "sm",
  cursorType: "pointer",
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.25rem" },
  headings: { fontWeight: "600", sizes: { h1: { fontSize: "1.25rem" }, h2: { fontSize: "0.9375rem" } } },
  components: {
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: "subtle", color: "gray" } }),
    Badge: Badge.extend({ defaultProps: { variant: "light", radius: "sm", tt: "none", fw: 550 } }),
    Button: Button.extend({ defaultProps: { size: "xs" } }),
    Drawer: Drawer.extend({ defaultProps: { closeButtonProps: CLOSE } }),
    Menu: Menu.extend({ defaultProps: { shadow: "md", position: "bottom-end" } }),
    Modal: Modal.extend({
      defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.4 }, closeButtonProps: CLOSE },
    }),
    Select: Select.extend({ defaultProps: { size: "xs", allowDeselect: false } }),
    Tabs: Tabs.extend({ defaultProps: { keepMounted: false } }),
    TextInput: TextInput.extend({ defaultProps: { size: "xs" } }),
    Textarea: Textarea.extend({ defaultProps: { size: "xs" } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 300, withArrow: true, multiline: true, maw: 420 } }),
  },
});
