// What the pages need from the browser itself: keys that press visible buttons, links without a reload,
// the way to the marked finding, and copying exact text. Served from our own origin; the policy allows no other script.
(() => {
  if (window.readbackPage) return;
  window.readbackPage = true;

  // Whether the page is presented, on the root of the document: as `body:has(.rb-present)` each of the thousands of
  // elements of a chart had the style of the whole page worked out anew.
  const presented = document.getElementsByClassName("rb-present");
  const present = () => document.documentElement.toggleAttribute("data-rb-present", presented.length > 0);
  new MutationObserver(present).observe(document.body, { childList: true, subtree: true });
  present();

  const typing = (node) =>
    node instanceof Element &&
    (node.isContentEditable || node.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, [role=combobox], [role=listbox], [role=menu], [role=slider]") !== null);

  // Keys: the page says {"j": "next", …} in a data attribute; the value is the key of a button or a switch.
  const pressable = (name) => {
    const [where, which] = name.split(":");
    return document.querySelector(`.st-key-${where}`)?.querySelectorAll("button:not([disabled]), input:not([disabled]), a.rb-link, summary")[Number(which ?? 0)];
  };
  const reasonOf = (name) => name.match(/^(item_verdict|decide_item)/) && document.querySelector(".st-key-decide_item textarea");
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || typing(event.target)) return;
    const said = document.querySelector("[data-rb-keys]");
    const keys = said === null ? {} : JSON.parse(said.dataset.rbKeys);
    const arrows = presented.length > 0 && !event.target.closest?.(".rb-exact, .rb-diff") ? { ArrowRight: "next_slide", ArrowLeft: "previous_slide" } : {};
    const name = { P: "present", N: "note_here", ...arrows, ...keys }[event.key];
    const thing = name && pressable(name);
    if (!thing) return;
    event.preventDefault();
    const reason = reasonOf(name); // a verdict is chosen, and its reason comes next
    if (reason) {
      if (name !== "decide_item") thing.click();
      setTimeout(() => document.querySelector(".st-key-decide_item textarea")?.focus(), 50);
      return;
    }
    const unfolds = thing.matches("input[type=text], summary");
    const shut = unfolds && thing.closest(".st-key-menu")?.querySelector(".rb-menu:not([open])");
    if (shut) shut.open = true;
    if (thing.matches("input[type=text]")) thing.focus();
    else if (!event.repeat || !stepOf(thing) || !answering()) thing.click(); // of a key that is held down, as many as can be shown
  });

  // Steps to the next thing and the one before: where the server goes depends on where the page is, and that the browser
  // knows when the answer to the step before is drawn. Until then a step waits for its turn, so that three are three.
  // The answer changes the address; a run of Streamlit's that does not is a part of the page that looks for itself.
  const BEGINS = 500, AT_MOST = 3000; // milliseconds: an answer begins within the first, and none is waited for longer
  const resting = () => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning";
  const stepOf = (thing) => thing.closest("[data-testid=stButton]")?.closest("[class*=st-key-next], [class*=st-key-previous]")
    ?.className.match(/st-key-((?:next|previous)\w*)/)[1];
  // Streamlit rests before the fields have the values of its answer: a step that is taken then tells it those of before.
  const whenDrawn = (go) => (window.requestIdleCallback ? requestIdleCallback(go, { timeout: BEGINS }) : setTimeout(go, 200));
  const turns = [];
  // When a step was taken, on which page and from which address; whether a run began.
  const last = { step: -AT_MOST, page: "", from: "", begun: false };
  const answering = () => performance.now() - last.step < (last.begun ? AT_MOST : BEGINS);
  const takeTurn = () => {
    if (answering() || !turns.length) return;
    const thing = location.pathname === last.page && pressable(turns.shift());
    if (thing) thing.click();
    else turns.length = 0; // the end is reached, or the page is another
  };
  document.addEventListener("click", (event) => {
    const name = event.target instanceof Element && stepOf(event.target);
    if (!name) return;
    if (answering()) {
      event.preventDefault();
      event.stopImmediatePropagation();
      turns.push(name);
      return;
    }
    Object.assign(last, { step: performance.now(), page: location.pathname, from: location.href, begun: false });
    for (const time of [BEGINS, AT_MOST]) setTimeout(takeTurn, time + 1);
  }, true);
  new MutationObserver(() => {
    if (!resting()) last.begun = true;
    else if (last.begun && location.href !== last.from) {
      const answered = last.step;
      whenDrawn(() => {
        if (last.step !== answered) return; // the next step was taken meanwhile
        last.step = -AT_MOST;
        takeTurn();
      });
    }
  }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["data-test-script-state"] });

  // Drafts: what is typed into a form stays in this tab until it is saved, with the id that the form has for it. The
  // page says data-rb-draft (the form) and data-rb-key beside the fields, and data-rb-saved once a draft is kept.
  const drafts = (form) => `rb-draft ${location.pathname} ${new URLSearchParams(location.search).get("workspace") ?? ""} ${form}`;
  const near = (sign) => sign.closest("[data-testid=stVerticalBlock]");
  let restoring = false;
  const pause = (time = 80) => new Promise((go) => setTimeout(go, time));
  const put = async (field, value) => { // as if it was typed: Streamlit takes a field's text when the focus leaves it
    field.focus({ preventScroll: true });
    const proto = field.tagName === "TEXTAREA" ? HTMLTextAreaElement : HTMLInputElement;
    Object.getOwnPropertyDescriptor(proto.prototype, "value").set.call(field, value);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await pause();
    field.blur();
    await pause();
  };
  const refill = async (form, held) => { // fields are looked up again each time: they may be drawn anew meanwhile
    const field = (which) => near(document.querySelector(`[data-rb-draft="${CSS.escape(form)}"]`) ?? document.body)?.querySelector(which);
    restoring = true;
    for (const [which, value] of [["[class*=st-key-draft_key_] input", held.key], ["textarea", held.text]]) {
      for (let tries = 0; tries < 8 && field(which)?.value !== value; tries++) {
        await pause(200); // what is being opened takes the focus first
        if (field(which)) await put(field(which), value);
      }
    }
    restoring = false;
  };
  document.addEventListener("input", (event) => {
    if (restoring || !(event.target instanceof HTMLTextAreaElement)) return;
    const sign = near(event.target)?.querySelector("[data-rb-draft]");
    if (!sign) return;
    sessionStorage.setItem(drafts(sign.dataset.rbDraft), JSON.stringify({ key: sign.dataset.rbKey, text: event.target.value }));
  });
  // What is selected in an exact text is sent as the text's name and two offsets in code points, never as text. Only
  // the Note form asks for it, once each time it opens; a click in a text lets go of what was selected in it.
  let selected = "";
  let selectedAt = "";
  const exactOf = (node) => (node instanceof Element ? node : node?.parentElement)?.closest("[data-rb-start] .rb-exact");
  const upTo = (text, node, offset) => {
    const range = document.createRange();
    range.setStart(text, 0);
    range.setEnd(node, offset);
    const part = document.createElement("div");
    part.append(range.cloneContents());
    return [...exactText(part)].length;
  };
  const spanned = (text, range) => {
    const home = text.closest("[data-rb-start]");
    const first = Number(home.dataset.rbStart);
    const [from, till] = [[range.startContainer, range.startOffset], [range.endContainer, range.endOffset]].map(([node, offset]) => first + upTo(text, node, offset));
    selected = till > from ? `${home.id.replace("text-", "")}:${from}-${till}` : "";
    selectedAt = location.href;
  };
  document.addEventListener("selectionchange", () => {
    const found = document.getSelection();
    const range = found.rangeCount ? found.getRangeAt(0) : null;
    const text = range && exactOf(range.startContainer);
    if (text && text === exactOf(range.endContainer)) spanned(text, range);
  });
  document.addEventListener("keydown", (event) => { // a stretch that has the focus is what a note by key is on
    const stretch = event.key === "N" && !typing(event.target) && event.target instanceof Element && event.target.closest(".rb-s");
    const text = stretch && exactOf(stretch);
    if (!text || !document.getSelection().isCollapsed) return;
    const range = document.createRange();
    range.selectNodeContents(stretch);
    spanned(text, range);
  }, true);
  const asked = new WeakSet();
  const sendSpan = () => {
    const field = document.querySelector(".st-key-note_span input");
    if (!field || asked.has(field)) return;
    asked.add(field);
    const wanted = selectedAt === location.href ? selected : "";
    if (field.value === wanted) return;
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, wanted);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    setTimeout(() => field.dispatchEvent(new FocusEvent("focusout", { bubbles: true })), 80); // without taking the focus
  };

  const given = new Set();
  const restore = () => {
    sendSpan();
    if (document.querySelector("[data-rb-saved]")) selected = "";
    for (const sign of document.querySelectorAll("[data-rb-saved]")) {
      for (const name of Object.keys(sessionStorage)) {
        if (name.startsWith("rb-draft ") && JSON.parse(sessionStorage[name]).key === sign.dataset.rbSaved) sessionStorage.removeItem(name);
      }
    }
    const said = document.querySelector("[data-rb-name]");
    if (said) document.cookie = `readback_name=${encodeURIComponent(said.dataset.rbName)}; path=/; max-age=31536000; samesite=lax${location.protocol === "https:" ? "; secure" : ""}`;
    for (const sign of document.querySelectorAll("[data-rb-draft]")) {
      const name = drafts(sign.dataset.rbDraft);
      const field = near(sign)?.querySelector("textarea");
      if (!field || given.has(name)) continue;
      given.add(name);
      const held = sessionStorage.getItem(name) && JSON.parse(sessionStorage.getItem(name));
      if (!held || field.value !== "") continue;
      void refill(sign.dataset.rbDraft, held);
    }
  };
  new MutationObserver(restore).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-rb-saved", "data-rb-name"] });

  // Inside exact text the arrow keys go from one stretch to the next, however many there are.
  document.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const text = step && event.target instanceof Element && event.target.closest(".rb-exact, .rb-diff");
    if (!text) return;
    const stretches = [...text.querySelectorAll(".rb-s")];
    const next = stretches[stretches.indexOf(event.target) + step] ?? stretches[0];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });

  // Of tabs the one in view is reached by Tab, the others by the arrow keys, Home and End.
  document.addEventListener("keydown", (event) => {
    const row = event.target instanceof Element && event.target.closest("[role=tablist], [role=toolbar], [data-rb-arrows]");
    const tabs = row ? [...row.querySelectorAll("a[role=tab], [role=toolbar] > a, td a, a.rb-matrix-whole")] : [];
    const at = tabs.indexOf(event.target);
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const go = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key];
    if (go === undefined) return;
    event.preventDefault();
    tabs[go % tabs.length].focus();
  });

  // Differences: buttons that go to the next one or the one before and say which it is.
  const step = (button) => {
    const numbers = [...new Set([...document.querySelectorAll("[data-rb-change]")].map((one) => Number(one.dataset.rbChange)))];
    if (numbers.length === 0) return;
    const said = document.querySelector("[data-rb-step-said]");
    const here = document.activeElement.closest("[data-rb-change]") ?? document.querySelector("[data-rb-change].rb-at");
    const at = here ? numbers.indexOf(Number(here.dataset.rbChange)) : -1;
    const by = Number(button.dataset.rbStep);
    const to = numbers[here || by > 0 ? (at + by + numbers.length) % numbers.length : numbers.length - 1];
    for (const one of document.querySelectorAll("[data-rb-change].rb-at")) one.classList.remove("rb-at");
    const all = document.querySelectorAll(`[data-rb-change="${to}"]`);
    for (const one of all) one.classList.add("rb-at");
    all[0].scrollIntoView({ block: "center" });
    all[0].focus({ preventScroll: true });
    if (said) said.textContent = said.dataset.rbStepSaid.replace("[n]", to.toLocaleString("en"));
  };

  // Links of ours: change the address and let Streamlit read it, as for the browser's Back.
  const follow = (link) => {
    history.pushState({}, "", link.href);
    window.dispatchEvent(new PopStateEvent("popstate"));
    setTimeout(enter, 500); // where the page is drawn as it was, nothing else tells that it was asked for
  };
  // A screen that follows another goes where the page says, once for each number: meanwhile its reader may look around.
  let followed = "";
  const followPresenter = () => {
    const sign = document.querySelector("[data-rb-follow]");
    if (!sign || sign.dataset.rbNumber === followed) return;
    followed = sign.dataset.rbNumber;
    const there = sign.dataset.rbFollow && new URL(sign.dataset.rbFollow, location.origin);
    const sorted = (url) => `${url.pathname}?${[...url.searchParams].sort()}`;
    if (!there || there.origin !== location.origin || sorted(there) === sorted(new URL(location.href))) return;
    follow(there);
  };
  new MutationObserver(followPresenter).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-rb-number", "data-rb-follow"] });
  // Places on the same page: the focus goes there, too. What is not drawn of a long text is its first text.
  const to = (link) => {
    const place = document.getElementById(link.dataset.rbTo) ?? document.querySelector(".rb-exact");
    if (place === null) return;
    place.scrollIntoView({ block: place.matches(".rb-exact") ? "start" : "center" });
    (place.matches("[tabindex]") ? place : place.querySelector("[tabindex]"))?.focus({ preventScroll: true });
  };

  // What Tab reaches is in view: in a low window Firefox leaves some controls above or below it.
  const reveal = () => {
    const at = document.activeElement ?? document.body;
    const box = (at.matches("input") && at.closest("label") ? at.closest("label") : at).getBoundingClientRect();
    const header = document.querySelector('[data-testid="stHeader"]')?.getBoundingClientRect().bottom ?? 0;
    const seen = box.top >= header ? innerHeight - box.top : box.bottom - header; // pixels of it, at most
    if (at.closest('[data-testid="stMainBlockContainer"]') && seen < Math.min(box.height, 16)) at.scrollIntoView({ block: "center" });
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Tab") setTimeout(reveal, 100);
  });

  // Hints open beside the word: under it, or above it in the lower half. They are fixed, since tables that scroll
  // would cut them; the style sheet draws them where this says.
  const ROOM = 320; // pixels that a hint has at least to the right
  const beside = (event) => {
    const word = event.target instanceof Element && event.target.closest(".rb-hinted, .rb-s[data-from]");
    if (!word) return;
    const lines = [...word.getClientRects()];
    const line = lines.find((one) => event.clientY >= one.top && event.clientY <= one.bottom) ?? lines[0];
    if (!line) return;
    const low = line.top > innerHeight / 2;
    const gap = word.matches(".rb-s") ? 0 : 4; // what is drawn over a stretch brings its own
    word.style.setProperty("--rb-x", `${Math.max(8, Math.min(line.left, innerWidth - ROOM))}px`);
    word.style.setProperty("--rb-top", low ? "auto" : `${line.bottom + gap}px`);
    word.style.setProperty("--rb-bottom", low ? `${innerHeight - line.top + gap}px` : "auto");
  };
  document.addEventListener("mouseover", beside);
  document.addEventListener("focusin", beside);
  // Esc puts a hint away, without moving the pointer or the focus; leaving the word makes it open again.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const word of document.querySelectorAll(":is(.rb-hinted, .rb-s[data-from]):is(:hover, :focus)")) word.classList.add("rb-quiet");
  });
  const reopen = (event) => {
    for (const word of document.querySelectorAll(".rb-quiet")) {
      if (event.type !== "mouseover" || (!word.contains(event.target) && word !== document.activeElement)) word.classList.remove("rb-quiet");
    }
  };
  for (const left of ["mouseover", "focusin", "focusout"]) document.addEventListener(left, reopen);

  // The first Tab on a page with a way past its controls goes to that, though navigation and sidebar are before it.
  // Later ones from there go where the browser has them go: to what is before that way.
  let begun = "";
  document.addEventListener("keydown", (event) => {
    const first = event.key === "Tab" && begun !== location.pathname;
    if (event.key === "Tab") begun = location.pathname;
    const skip = first && !event.shiftKey && document.activeElement === document.body && document.querySelector("a.rb-skip");
    if (!skip) return;
    event.preventDefault();
    skip.focus();
  });

  // What changes while somebody stays on a page is read out, by one region that is there from the start: a screen reader
  // need not read one that comes with its text. How far work is, is said every few seconds, and that it has ended.
  const aloud = document.createElement("div");
  aloud.className = "rb-aloud";
  aloud.setAttribute("role", "status");
  document.body.append(aloud);
  const PAUSE = 5000; // milliseconds
  let told = "";
  let next = 0;
  let ending = "";
  let toldOn = location.pathname;
  const tell = () => {
    const text = [...document.querySelectorAll("[data-rb-say]")].map((one) => one.dataset.rbSay).join(" ");
    const work = document.querySelector("[data-rb-ended]");
    if (text === told || (work && performance.now() < next)) return;
    if (work) next = performance.now() + PAUSE;
    aloud.textContent = text || (location.pathname === toldOn ? ending : "");
    ending = work ? work.dataset.rbEnded : "";
    told = text;
    toldOn = location.pathname;
  };
  new MutationObserver(tell).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-rb-say"] });

  // What a button has opened hangs at the end of the document: the next Tab goes into it, and from its last control on
  // to what is after the button.
  const STOPS = "a[href], button, summary, input, textarea, select, [tabindex]";
  const entered = new WeakSet();
  document.addEventListener("keydown", (event) => {
    const box = event.key === "Tab" && [...document.querySelectorAll("[data-testid=stPopoverBody]")].at(-1);
    if (!box) return;
    const drawn = (one) => one.checkVisibility({ visibilityProperty: true }); // Streamlit keeps a second one of some, not drawn
    const opener = [...document.querySelectorAll("[data-testid=stPopoverButton][aria-expanded=true]")].filter(drawn).at(-1);
    const stops = [...box.querySelectorAll(STOPS)].filter((one) => one.tabIndex >= 0 && !one.disabled && drawn(one));
    const here = document.activeElement;
    if (!box.contains(here)) {
      if (event.shiftKey || stops.length === 0 || (entered.has(box) && here !== opener)) return;
      event.preventDefault();
      entered.add(box);
      stops[0].focus();
    } else if (here === stops.at(event.shiftKey ? 0 : -1)) {
      opener?.focus(); // Tab goes on from there by itself
      if (event.shiftKey) event.preventDefault();
    }
  });

  // The menu in the bar stays open when a run draws it anew (its counts are read a moment later), and is closed by Esc,
  // by one of its links, by a click elsewhere, and when Tab leaves it; not by a focus that the page itself moves.
  let menu = null; // which is open
  const keepMenu = () => {
    if (menu && !menu.isConnected) {
      const again = document.querySelector(`[data-rb-menu="${CSS.escape(menu.dataset.rbMenu)}"]`);
      if (again && document.activeElement === document.body) again.querySelector("summary").focus({ preventScroll: true });
      if (again) again.open = true;
    }
    menu = document.querySelector("[data-rb-menu][open]") ?? (menu?.isConnected ? null : menu);
  };
  new MutationObserver(keepMenu).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["open"] });
  const LEAVES = "a, .st-key-find_go button, .st-key-menu_go button"; // what leads away from the menu
  const closeMenu = (event) => {
    if (!menu || (event.type === "keydown" && event.key !== "Escape") || (event.type === "keyup" && event.key !== "Tab")) return;
    const at = event.type === "click" ? event.target : document.activeElement;
    if (!at.isConnected || at.closest("#stFloatingOverlayPortal")) return; // a list that one of its fields has opened
    const inside = (menu.closest(".st-key-menu") ?? menu).contains(at);
    if (event.type === "keyup" ? inside : event.type === "click" && inside && !at.closest(LEAVES)) return;
    if (event.type === "keydown" && inside) menu.querySelector("summary").focus();
    menu.open = false;
    menu = null;
  };
  for (const type of ["click", "keydown", "keyup"]) document.addEventListener(type, closeMenu);
  document.addEventListener("keydown", (event) => { // Enter in its field looks for what was typed
    if (event.key === "Enter" && menu && event.target.closest(".st-key-find")) setTimeout(() => { if (menu) menu.open = false; }, 100);
  });

  // Folding the sidebar in or out takes away the button that was pressed: the focus goes to the one that undoes it.
  const FOLDS = ["[data-testid=stSidebarCollapseButton] button", "button[data-testid=stExpandSidebarButton], [data-testid=stExpandSidebarButton] button"];
  document.addEventListener("click", async (event) => {
    const which = event.detail === 0 && event.target instanceof Element ? FOLDS.findIndex((one) => event.target.closest(one)) : -1;
    if (which < 0) return;
    for (let tries = 0; tries < 10; tries++) {
      await pause();
      const other = document.querySelector(FOLDS[1 - which]);
      if (other?.checkVisibility({ visibilityProperty: true })) return void other.focus();
    }
  });

  document.addEventListener("click", (event) => {
    const place = event.target instanceof Element && event.target.closest("[data-rb-to]");
    if (place) {
      event.preventDefault();
      return void to(place);
    }
    const copy = event.target instanceof Element && event.target.closest("[data-rb-copy]");
    if (copy) return void copyText(copy);
    const stepper = event.target instanceof Element && event.target.closest("[data-rb-step]");
    if (stepper) return void step(stepper);
    const cell = event.target instanceof Element && !event.target.closest("a, button, summary") && getSelection().isCollapsed && event.target.closest("[data-rb-cell]");
    const link = event.target instanceof Element && (event.target.closest("a.rb-link") ?? (cell && cell.querySelector("a.rb-link")));
    if (!link || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const there = new URL(link.href);
    if (there.origin !== location.origin) return;
    event.preventDefault();
    // A filter of Findings shows another list, from its top; another rule is brought there when it is drawn.
    const filter = there.pathname === location.pathname && there.pathname.endsWith("/findings") && !there.searchParams.has("code");
    const same = there.href === location.href; // as a browser does that loads the same page once more
    if (filter || same) document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
    follow(link);
  });

  // On another page the focus goes to its heading: whoever reads by ear or goes by keyboard begins there, and not
  // before the navigation. What a link has marked has the focus instead. Another rule on Findings is a page of its own.
  const CHOSEN = "[data-testid=stColumn] ~ [data-testid=stColumn] h2";
  const rule = () => new URLSearchParams(location.search).get("code");
  let page = location.pathname;
  let code = rule();
  const enter = () => {
    const turned = location.pathname === page && rule() !== code;
    if (location.pathname === page && !turned) return;
    const heading = document.querySelector(`[data-testid=stMainBlockContainer] ${turned ? CHOSEN : "h1"}`);
    if (heading === null || document.querySelector("[data-stale=true] :is(h1, h2)") !== null) return;
    page = location.pathname;
    code = rule();
    const active = document.activeElement;
    if (!turned && active && active !== document.body && active.closest("[data-testid=stMainBlockContainer]")) return;
    document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0); // not where the page before had been scrolled to
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  };
  new MutationObserver(enter).observe(document.body, { childList: true, subtree: true });

  // Once an item of Review is decided the next one comes by itself, and the focus goes to its heading; after the last
  // one to that of the page. Whoever goes through the items by the list or its buttons stays there.
  const TITLE = "h2.rb-item";
  let item = "";
  const enterItem = () => {
    const heading = document.querySelector(TITLE) ?? (item && document.querySelector("[data-testid=stMain]:has(.rb-empty) h1"));
    if (!heading || heading.closest("[data-stale=true]")) return;
    const [before, now] = [item, heading.dataset.rbItem ?? ""];
    item = now;
    const at = document.activeElement ?? document.body;
    if (before === "" || before === now || !(at === document.body || at.closest(".st-key-decide_item, .st-key-item_evidence"))) return;
    document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  };
  new MutationObserver(enterItem).observe(document.body, { childList: true, subtree: true });
  enterItem();

  // Fields that only this script fills in are no stop of the Tab key, and are not read out.
  const OURS = ":is([class*=st-key-draft_key_], .st-key-note_span)";
  const leaveOut = () => {
    for (const field of document.querySelectorAll(`${OURS} input:not([tabindex="-1"])`)) {
      field.tabIndex = -1;
      field.closest(OURS).ariaHidden = "true";
    }
  };
  new MutationObserver(leaveOut).observe(document.body, { childList: true, subtree: true });
  leaveOut();

  // What was asked for last: the finding or the hit that the address marks, once for each address, or a list of hits,
  // once for each search. The server sends them in parts, and what is above them may come later or grow: until the
  // reader moves, each change of the page brings what was asked for into view again, so no order of these matters.
  const MARKED = "mark.rb-here, .rb-finding.rb-here";
  const LISTED = "[data-rb-listed]";
  let seen = "";
  let listed = "";
  let wanted = null; // the selector of what was asked for, until the reader moves
  let reached = null; // the element that has had the focus for it
  for (const moved of ["wheel", "touchstart", "pointerdown", "keydown"]) {
    document.addEventListener(moved, () => { wanted = null; }, { capture: true, passive: true });
  }
  const show = (thing) => {
    const { top, bottom } = thing.getBoundingClientRect();
    if (thing.matches(LISTED)) {
      if (top < 50 || top > innerHeight / 2) thing.scrollIntoView({ block: "start" });
    } else if (thing.matches("mark")) {
      if (top < 100 || bottom > innerHeight - 100) thing.scrollIntoView({ block: "center" }); // else what is above it stays
    } else if (top > innerHeight - 100) thing.scrollIntoView({ block: "nearest" });
  };
  const look = () => {
    const list = document.querySelector(LISTED);
    if (list !== null && list.dataset.rbListed !== listed) {
      listed = list.dataset.rbListed;
      seen = location.href; // the first hit is marked, too, and is not what was asked for
      [wanted, reached] = [LISTED, null];
    } else if (seen !== location.href && document.querySelector(MARKED) !== null) {
      seen = location.href;
      [wanted, reached] = [MARKED, null];
    }
    const thing = wanted && document.querySelector(wanted);
    if (!thing || thing.closest(".st-key-item_evidence")) return; // an item of Review begins with its heading
    grown.observe(thing.closest("[data-testid=stMainBlockContainer]") ?? document.body); // once for each element
    show(thing);
    if (thing === reached) return;
    reached = thing;
    thing.tabIndex = -1;
    thing.focus({ preventScroll: true });
  };
  const grown = new ResizeObserver(look); // a font that arrives moves things, too
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-rb-listed"] });
  look();

  // What a drill-down has opened: into view, and the focus goes to its heading, once for each drill-down. Charts above it and the
  // list below are drawn later: until the reader moves, the heading is brought to its place again and again.
  const SETTLING = 4000; // milliseconds
  let drilldown = null;
  let held = 0;
  const hold = () => {
    if (performance.now() > held) return;
    const heading = document.querySelector("[data-rb-arrive]");
    // What stays in view beside a list is there already: the entry of the list that it belongs to is brought into view.
    const staying = heading?.closest(".rb-staying");
    const entry = staying && getComputedStyle(staying).position === "sticky" && document.querySelector(".rb-row-open");
    if (entry) entry.scrollIntoView({ block: "nearest" });
    else heading?.scrollIntoView({ block: "start" });
    requestAnimationFrame(hold);
  };
  for (const moved of ["wheel", "touchstart", "pointerdown", "keydown"]) {
    document.addEventListener(moved, () => { held = 0; }, { capture: true, passive: true });
  }
  const arrive = () => {
    const heading = document.querySelector("[data-rb-arrive]");
    const name = heading ? heading.dataset.rbArrive : null;
    if (name === drilldown) return;
    drilldown = name;
    if (heading === null) return;
    heading.focus({ preventScroll: true });
    const running = performance.now() <= held;
    held = performance.now() + SETTLING;
    if (!running) hold();
  };
  new MutationObserver(arrive).observe(document.body, { childList: true, subtree: true, attributeFilter: ["data-rb-arrive"] });
  arrive();

  // The buttons of the fields for files: what the style sheet writes on them is their name too.
  const nameFields = () => {
    for (const button of document.querySelectorAll("[data-testid=stFileUploaderDropzone] > span > button:not([aria-label])")) {
      const said = getComputedStyle(button.querySelector("[data-testid=stMarkdownContainer]"), "::after").content;
      if (said.startsWith('"')) button.ariaLabel = JSON.parse(said);
    }
  };
  new MutationObserver(nameFields).observe(document.body, { childList: true, subtree: true });

  // A name that its list cuts stands below it, whole.
  let measuring = 0;
  const showWhole = () => {
    cancelAnimationFrame(measuring);
    measuring = requestAnimationFrame(() => {
      for (const line of document.querySelectorAll("[data-rb-whole]")) {
        const field = document.querySelector(`.st-key-${line.dataset.rbWhole} input`);
        if (field) line.hidden = field.scrollWidth <= field.clientWidth;
      }
    });
  };
  new MutationObserver(showWhole).observe(document.body, { childList: true, subtree: true });
  addEventListener("resize", showWhole);

  // Copy: the text of the element named, with the characters that only a glyph stands for put back.
  const exactText = (node) => {
    const whole = node.cloneNode(true);
    for (const summary of whole.querySelectorAll("summary")) summary.remove(); // says how much is folded
    for (const glyph of whole.querySelectorAll(".rb-glyph")) glyph.textContent = String.fromCharCode(parseInt(glyph.dataset.code, 16));
    return whole.textContent;
  };
  const copyText = async (button) => {
    const text = exactText(document.getElementById(button.dataset.rbCopy));
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = button.dataset.rbDone;
    } catch {
      if (button.dataset.rbFile) save(text, button.dataset.rbFile);
      button.textContent = button.dataset.rbFailed;
    }
  };

  // Where nothing can be copied: a download of the same text, which never leaves the browser.
  const save = (text, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  };
})();
