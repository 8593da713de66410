/**
 * The oldest browsers that run the pages of listeners, guests and other sites; a test holds the pages to it. Style sheets may know
 * more: what a browser doesn't know of them changes the look only.
 */
export const BASELINE = ['chrome92', 'edge92', 'firefox90', 'safari15', 'ios15']

/** Those that run the panel, a tool that is used on computers of today. */
export const PANEL_BASELINE = ['chrome110', 'edge110', 'firefox115', 'safari16.4', 'ios16.4']
