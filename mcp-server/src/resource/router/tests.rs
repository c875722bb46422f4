#![allow(clippy::unwrap_used)]

use super::*;

/// A router for these, each of which is the function of its place.
fn router(uris: &[&str]) -> Router {
    let mut router = Router::default();
    for (index, uri) in uris.iter().enumerate() {
        let template = Template::parse(uri).unwrap();
        router.insert(uri, template, index).unwrap();
    }
    router
}

/// The function and the values, as `name=value`.
fn find(router: &Router, uri: &str) -> Option<(usize, Vec<String>)> {
    let found = router.find(uri, &|_| true)?;
    let values = found.values.into_iter();
    let values = values.map(|(name, value)| format!("{name}={value}"));
    Some((found.function, values.collect()))
}

fn values(template: &str, uri: &str) -> Option<Vec<String>> {
    find(&router(&[template]), uri).map(|(_, values)| values)
}

#[test]
fn a_variable_stops_at_separators() {
    let template = "x://p/{id}";
    assert_eq!(values(template, "x://p/7").unwrap(), ["id=7"]);
    assert_eq!(values(template, "x://p/a%20b").unwrap(), ["id=a b"]);
    for uri in [
        "x://p/7?v=2",
        "x://p/7#end",
        "x://p/7/8",
        "x://p/",
        "x://p",
        "x://p/7/",
    ] {
        assert_eq!(values(template, uri), None, "{uri}");
    }
}

/// A URI need not have slashes.
#[test]
fn a_variable_may_stand_right_behind_the_scheme() {
    assert_eq!(
        values("URN:isbn:{id}", "urn:isbn:0131103628").unwrap(),
        ["id=0131103628"]
    );
    assert_eq!(values("tel:{number}", "TEL:%2B49").unwrap(), ["number=+49"]);
    assert_eq!(values("tel:{number}", "tell:1"), None);
}

#[test]
fn no_value_leads_out_of_its_segment() {
    let template = "docs://f/{name}";
    for name in [
        "..%2F..%2Fetc%2Fpasswd",
        "%2e%2e",
        "..",
        ".",
        "%2E",
        "a%00b",
        "..\\x",
        "..%5Cx",
        "a%2Fb",
        "a%2fb",
        "%ZZ",
        "%C3%28",
        "%",
        "%4",
    ] {
        let uri = format!("docs://f/{name}");
        assert_eq!(values(template, &uri), None, "{uri}");
    }
    // Decoded once: what is left is text like any other.
    assert_eq!(
        values(template, "docs://f/%252e%252e").unwrap(),
        ["name=%2e%2e"]
    );
}

#[test]
fn the_rest_of_a_path_is_taken_whole() {
    let template = "file:///docs/{+path}";
    assert_eq!(
        values(template, "file:///docs/a/b%20c.md").unwrap(),
        ["path=a/b c.md"]
    );
    assert_eq!(values(template, "file:///docs/"), None);
    assert_eq!(values(template, "file:///docs/a%00"), None);
    assert_eq!(values(template, "file:///other/a"), None);
}

#[test]
fn parameters_of_the_query_come_in_any_order_or_not_at_all() {
    let template = "x://t{?cursor,limit}";
    assert_eq!(values(template, "x://t").unwrap(), [""; 0]);
    assert_eq!(values(template, "x://t?limit=5").unwrap(), ["limit=5"]);
    assert_eq!(
        values(template, "x://t?limit=5&cursor=a%26b").unwrap(),
        ["limit=5", "cursor=a&b"]
    );
    for uri in [
        "x://t?other=1",
        "x://t?limit=1&limit=2",
        "x://t?limit=%ZZ",
        "x://t?limit=%00",
    ] {
        assert_eq!(values(template, uri), None, "{uri}");
    }
    let fixed = "x://t?sort=new{&words}";
    assert_eq!(
        values(fixed, "x://t?words=a&sort=new").unwrap(),
        ["words=a"]
    );
    assert_eq!(values(fixed, "x://t?words=a"), None);
    assert_eq!(values(fixed, "x://t?sort=old&words=a"), None);
}

#[test]
fn both_spellings_of_a_literal_match() {
    for template in ["note://größe/{id}", "note://gr%C3%B6%C3%9Fe/{id}"] {
        for uri in [
            "note://größe/1",
            "note://gr%C3%B6%C3%9Fe/1",
            "note://gr%c3%b6ße/1",
            "NOTE://größe/1",
        ] {
            assert_eq!(values(template, uri).unwrap(), ["id=1"], "{template} {uri}");
        }
    }
    let fixed = router(&["note://größe"]);
    assert_eq!(find(&fixed, "note://gr%C3%B6%C3%9Fe").unwrap().0, 0);
}

#[test]
fn literals_go_before_variables_and_more_of_them_before_fewer() {
    let router = router(&[
        "x://a/{+rest}",
        "x://a/{id}",
        "x://a/{id}.json",
        "x://a/new",
        "x://a/{id}/b",
    ]);
    let function = |uri: &str| find(&router, uri).unwrap().0;
    assert_eq!(function("x://a/new"), 3);
    assert_eq!(function("x://a/7.json"), 2);
    assert_eq!(function("x://a/7"), 1);
    assert_eq!(function("x://a/7/b"), 4);
    // A way that leads nowhere is left again.
    assert_eq!(function("x://a/new/c"), 0);
    assert_eq!(function("x://a/7/c"), 0);
}

#[test]
fn templates_that_cannot_be_told_apart_are_refused() {
    let clash = |first: &str, second: &str| {
        let mut router = router(&[first]);
        let template = Template::parse(second).unwrap();
        router.insert(second, template, 1) == Err(0)
    };
    assert!(clash("x://{a}", "x://{b}"));
    assert!(clash("x://{a}/b", "x://{c}/b"));
    assert!(clash("x://p/{a}-x", "x://p/y-{b}"));
    assert!(clash("x://p/{+a}", "x://p/{+b}"));
    assert!(clash("x://p", "x://p{?a}"));
    assert!(clash("X://p/{a}", "x://p/{b}"));
    assert!(clash("x://é/{a}", "x://%C3%A9/{b}"));
    assert!(clash("x://p?a=1{&b}", "x://p?b=2{&a}"));
    assert!(clash("x://p?a=1", "x://p{?a}"));
    assert!(!clash("x://p?a=1", "x://p?a=2"));
    assert!(!clash("x://p?a=1{&b}", "x://p?a=2{&b}"));
    assert!(!clash("x://p?a=1", "x://p"));
    assert!(!clash("x://p/{+a}?a=1", "x://p/{+b}?a=2"));
    assert!(!clash("x://p/{a}", "x://q/{a}"));
    assert!(!clash("x://p/{a}.json", "x://p/{a}.xml"));
    assert!(!clash("x://p/{a}", "x://p/{a}/b"));
}

#[test]
fn queries_tell_templates_of_one_path_apart() {
    let router = router(&["x://p?a=1{&b}", "x://p?a=2{&b}", "x://p"]);
    let function = |uri: &str| find(&router, uri).map(|(function, _)| function);
    assert_eq!(function("x://p?a=1"), Some(0));
    assert_eq!(function("x://p?b=7&a=2"), Some(1));
    assert_eq!(function("x://p"), Some(2));
    assert_eq!(function("x://p?a=3"), None);
}

/// Each step down the tree is a look into a map: how many templates there are does not matter.
#[test]
fn five_thousand_templates_are_no_slower_than_fifty() {
    let uris = |count: usize| -> Vec<String> {
        (0..count)
            .map(|n| format!("x://kind{n}/{{id}}/part/{{part}}"))
            .collect()
    };
    let time = |count: usize| {
        let uris = uris(count);
        let router = router(&uris.iter().map(String::as_str).collect::<Vec<_>>());
        // The least of several runs: others use the machine as well.
        let run = || {
            let began = std::time::Instant::now();
            for n in 0..1_000 {
                let uri = format!("x://kind{}/{n}/part/1", n % count);
                assert_eq!(router.find(&uri, &|_| true).unwrap().function, n % count);
            }
            began.elapsed()
        };
        (0..10).map(|_| run()).min().unwrap()
    };
    let (few, many) = (time(50), time(5_000));
    // A search through all of them would take a hundred times as long.
    assert!(many < few * 20, "{few:?} for 50, {many:?} for 5,000");
}

#[test]
fn a_hostile_uri_costs_no_more_than_its_length() {
    let router = router(&["x://{a}-{b}-{c}-{d}-{e}-{f}-{g}-{h}/end"]);
    let uri = format!("x://{}/other", "-".repeat(200_000));
    let began = std::time::Instant::now();
    assert_eq!(find(&router, &uri), None);
    assert!(began.elapsed() < std::time::Duration::from_secs(1));
}

#[test]
fn faults_of_templates_are_named() {
    for (template, word) in [
        ("note", "scheme"),
        ("{scheme}://x", "scheme"),
        ("x://{a", "braces"),
        ("x://a}", "braces"),
        ("x://{{a}}", "braces"),
        ("x://{}", "not understood"),
        ("x://{a*}", "not understood"),
        ("x://{a:3}", "not understood"),
        ("x://{#a}", "fragment"),
        ("x://{.a}", "not understood"),
        ("x://{/a}", "not understood"),
        ("x://{;a}", "not understood"),
        ("x://{a}{b}", "between"),
        ("x://{a}/{a}", "twice"),
        ("x://{+a}/b", "rest of the path"),
        ("x://a{+b}", "behind a slash"),
        ("x://{?a}b", "may follow"),
        ("x://{&a}", "begins a query"),
        ("x://a?b=1{?c}", "begins a query"),
        ("x://a?b={c}", "query"),
        ("x://%ZZ", "percent"),
        ("x://a#b", "fragment"),
    ] {
        let fault = Template::parse(template).unwrap_err().to_string();
        assert!(fault.contains(word), "{template}: {fault}");
    }
}

#[test]
fn of_those_that_meet_the_first_is_told() {
    let uris: Vec<String> = (0..50).map(|n| format!("x://{{a}}-1/{n}/{{b}}")).collect();
    let uris: Vec<&str> = uris.iter().map(String::as_str).collect();
    for first in [0, 7, 49] {
        let mut router = Router::default();
        let (before, from_there) = uris.split_at(first);
        for (index, uri) in from_there.iter().chain(before).enumerate() {
            let template = Template::parse(uri).unwrap();
            router.insert(uri, template, index).unwrap();
        }
        let meets = "x://1-{a}/{b}";
        let met = router.insert(meets, Template::parse(meets).unwrap(), 50);
        assert_eq!(met, Err(0), "{first}");
    }
}
